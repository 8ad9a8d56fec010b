import type { EnvironmentReader } from '../../host/environment.ts'

/** Options of the sealing of audit events. */
export interface AuditSealingConfig {
  /**
   * The minimum age of an event that is sealed. Ids contain the time of the database, so this must be longer than a step back
   * of its clock, for example at a failover.
   */
  readonly delayMs: number
  /** The pause between two cycles. */
  readonly intervalMs: number
  /** The minimum time between two anchors of a process. */
  readonly anchorIntervalMs: number
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The result of {@link readAuditSealingConfig} for an empty environment. */
export const auditSealingDefaults: AuditSealingConfig = {
  delayMs: minuteMs,
  intervalMs: minuteMs,
  anchorIntervalMs: 10 * minuteMs,
}

/**
 * Reads `Audit__SealDelay` (1 min), `Audit__SealInterval` (1 min) and `Audit__AnchorInterval` (10 min).
 */
export function readAuditSealingConfig(env: EnvironmentReader): AuditSealingConfig {
  const { delayMs, intervalMs, anchorIntervalMs } = auditSealingDefaults
  return {
    delayMs: env.durationMs('Audit__SealDelay', { default: delayMs, min: 0, max: hourMs }),
    intervalMs: env.durationMs('Audit__SealInterval', { default: intervalMs, min: secondMs, max: hourMs }),
    anchorIntervalMs: env.durationMs('Audit__AnchorInterval', {
      default: anchorIntervalMs,
      min: secondMs,
      max: 24 * hourMs,
    }),
  }
}
