import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

export interface WorkCenterConfig {
  /** How long a completed or cancelled task is kept. */
  readonly terminalTaskRetentionMs: number
  /** How long a notification is there, unless its definition says otherwise. */
  readonly notificationRetentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs
const retention = { min: secondMs, max: 3_650 * dayMs } as const

/** Reads `WorkCenter__…`; `readRealtimeConfig` and `readOutboxConfig` read the others of the section. */
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
