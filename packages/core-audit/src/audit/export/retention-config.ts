import type { EnvironmentReader } from '../../host/environment.ts'

/**
 * Reads `AuditLog__RetentionYears`; `null` when absent: then nothing is dropped. Only `audit drop` uses the value. A host reads
 * it, too, so that a mistake is reported at its start, and not years later.
 */
export function readAuditRetentionYears(env: EnvironmentReader): number | null {
  const years = env.integer('AuditLog__RetentionYears', { default: 0, min: 1, max: 1_000 })
  return years === 0 ? null : years
}
