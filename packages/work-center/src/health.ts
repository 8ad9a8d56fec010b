import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@vertical-kit/core-audit/database'
import type { HealthCheck, HealthResult } from '@vertical-kit/core-audit/host'
import { countInvisibleTasks } from './queries/invisible-tasks.ts'

export interface TaskHealthOptions {
  readonly database: Database
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/**
 * The next count begins after this time, or after 100 times the duration of the last one, also if the server ended that one at its
 * time limit: the check uses at most 1% of a connection.
 */
const pauseMs = 5_000
const pauseFactor = 100

/** How long a report waits for a count. It then shows the last result. Less than the time limit of a check. */
const waitMs = 2_000

/** Whether the server has ended the statement at its time limit (SQLSTATE 57014). */
const isEndedByServer = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && Reflect.get(error.cause, 'code') === '57014'

const notCounted: HealthResult = {
  status: 'Degraded',
  detail:
    'The open tasks that nobody may see could not be counted yet. With very many of them, a count takes long.',
}

/**
 * Reports Degraded while no active user may see some open tasks. Counts at most the 10,000 oldest open tasks. `failedCount` is
 * the number of these tasks; supervisors find them in the team's list with `invisible=true`.
 *
 * One count runs at a time, and continues after a report that does not wait for it: it examines every entry of an invisible task,
 * so it can take long if a role with many members and tasks is switched off. It never makes the host Unhealthy.
 */
export function taskHealth({ database, administratorRoleCodes }: TaskHealthOptions): HealthCheck {
  let last = notCounted
  let nextAtMs = 0
  let counting: Promise<void> | undefined

  const count = async () => {
    const startMs = performance.now()
    let factor = pauseFactor
    try {
      last = resultOf(await database.read((db) => countInvisibleTasks(db, administratorRoleCodes)))
    } catch (error) {
      // The last result stays. An outage is reported by the check of the database; then, most of the time was no work of the server.
      if (!isEndedByServer(error)) factor = 0
    }
    const endMs = performance.now()
    nextAtMs = endMs + Math.max(pauseMs, factor * (endMs - startMs))
    counting = undefined
  }
  return {
    name: 'workCenterTasks',
    async check() {
      if (performance.now() >= nextAtMs) counting ??= count()
      if (counting !== undefined) await Promise.race([counting, delay(waitMs, undefined, { ref: false })])
      return last
    },
  }
}

const resultOf = (failedCount: number): HealthResult =>
  failedCount === 0
    ? { status: 'Healthy', failedCount }
    : {
        status: 'Degraded',
        detail: 'Nobody may see some open tasks. A supervisor can assign them to another user or role.',
        failedCount,
      }
