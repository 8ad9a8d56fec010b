import type { EnvironmentReader } from '@vertical-kit/core-audit'

export interface WorkCenterConfig {
  readonly outboxPollIntervalMs: number
  readonly outboxBatchSize: number
  readonly outboxMaxAttempts: number
  /** How long a completed or cancelled task is kept. */
  readonly terminalTaskRetentionMs: number
  /** How long a notification is there, unless its definition says otherwise. */
  readonly notificationRetentionMs: number
  /** How long a handled event is kept. */
  readonly outboxRetentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs
const retention = { min: secondMs, max: 3_650 * dayMs } as const

/** Reads `WorkCenter__…`, the realtime keys apart (`readRealtimeConfig`). */
export function readWorkCenterConfig(env: EnvironmentReader): WorkCenterConfig {
  return {
    outboxPollIntervalMs: env.durationMs('WorkCenter__OutboxPollInterval', {
      default: 2 * secondMs,
      min: secondMs,
      max: hourMs,
    }),
    outboxBatchSize: env.integer('WorkCenter__OutboxBatchSize', { default: 25, min: 1, max: 1_000 }),
    outboxMaxAttempts: env.integer('WorkCenter__OutboxMaxAttempts', { default: 8, min: 1, max: 100 }),
    terminalTaskRetentionMs: env.durationMs('WorkCenter__TerminalTaskRetention', {
      default: 180 * dayMs,
      ...retention,
    }),
    notificationRetentionMs: env.durationMs('WorkCenter__NotificationRetention', {
      default: 30 * dayMs,
      ...retention,
    }),
    outboxRetentionMs: env.durationMs('WorkCenter__OutboxRetention', { default: 30 * dayMs, ...retention }),
  }
}
