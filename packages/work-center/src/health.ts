import type { Database } from '@vertical-kit/core-audit/database'
import type { HealthCheck, HealthResult } from '@vertical-kit/core-audit/host'
import { countInvisibleTasks } from './queries/invisible-tasks.ts'

export interface TaskHealthOptions {
  readonly database: Database
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/** A result is kept for this time, or for 100 times the duration of its count: the check uses at most 1% of a connection. */
const keptMs = 5_000
const keptFactor = 100

/**
 * Reports Degraded while no active user may see some open tasks. Counts at most the 10,000 oldest open tasks. `failedCount` is
 * the number of these tasks; supervisors find them in the team's list with `invisible=true`.
 */
export function taskHealth({ database, administratorRoleCodes }: TaskHealthOptions): HealthCheck {
  let kept: { readonly result: HealthResult; readonly untilMs: number } | undefined
  return {
    name: 'workCenterTasks',
    async check() {
      const startMs = performance.now()
      if (kept !== undefined && startMs < kept.untilMs) return kept.result
      const failedCount = await database.read((db) => countInvisibleTasks(db, administratorRoleCodes))
      const result: HealthResult =
        failedCount === 0
          ? { status: 'Healthy', failedCount }
          : {
              status: 'Degraded',
              detail: 'Nobody may see some open tasks. A supervisor can assign them to another user or role.',
              failedCount,
            }
      const endMs = performance.now()
      kept = { result, untilMs: endMs + Math.max(keptMs, keptFactor * (endMs - startMs)) }
      return result
    },
  }
}
