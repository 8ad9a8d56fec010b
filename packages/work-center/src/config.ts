import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

export interface WorkCenterConfig {
  /** Retention of a completed or cancelled task, counted from its end. */
  readonly terminalTaskRetentionMs: number
  /** Lifetime of a notification when its definition sets none. */
  readonly notificationRetentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs
const retention = { min: secondMs, max: 3_650 * dayMs } as const

/** Reads the retention keys of `WorkCenter__…`; `readRealtimeConfig` and `readOutboxConfig` read the others. */
export function readWorkCenterConfig(env: EnvironmentReader): WorkCenterConfig {
  return {
    terminalTaskRetentionMs: env.durationMs('WorkCenter__TerminalTaskRetention', {
      default: 180 * dayMs,
      ...retention,
    }),
    notificationRetentionMs: env.durationMs('WorkCenter__NotificationRetention', {
      default: 30 * dayMs,
      ...retention,
    }),
  }
}
