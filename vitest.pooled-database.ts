import { inject } from 'vitest'

/** The limits of test hosts behind a pooler; those of the role in transaction mode (vitest.pgbouncer.ts). */
export const pooledLimits = {
  statementTimeoutMs: 45_000,
  lockTimeoutMs: 30_000,
  idleInTransactionTimeoutMs: 45_000,
}

/** Returns how the hosts of this project reach a database: directly, or through the pooler of the project. */
export function pooled(databaseUrl: string) {
  const pooler = inject('poolMode')
  const port = inject('poolerPort')
  if (pooler === undefined || port === undefined) return { url: databaseUrl }
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, pooler, preparedStatements: pooler === 'session', ...pooledLimits }
}
