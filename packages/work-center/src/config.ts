import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

/** `readWorkCenterConfig` reads it from the section `WorkCenter__`. */
export interface WorkCenterConfig {
  /** The time for which a task is stored after its completion or cancellation. */
  readonly terminalTaskRetentionMs: number
  /** The lifetime of a notification if its definition does not set `retentionMs`. */
  readonly notificationRetentionMs: number
}

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs
const retention = { min: secondMs, max: 3_650 * dayMs } as const

/** Reads `WorkCenter__TerminalTaskRetention` and `WorkCenter__NotificationRetention`. */
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
