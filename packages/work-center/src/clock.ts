import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { nextChangeAt, passTime } from './commands/pass-time.ts'
import { raiseVersions } from './commands/raise-versions.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'

export interface ClockOptions {
  readonly database: Database
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
  /** The maximum number of entries per transaction. The default is 500. */
  readonly batchSize?: number
}

/**
 * Creates the worker for changes that only time causes: a snooze ends, a task becomes overdue, or a notification expires.
 * Queries compare stored times with the current time, so the worker does not update the state of items. It raises the
 * versions of the affected users and notifies their open pages.
 */
export function createClock(options: ClockOptions): Worker {
  const { database, administratorRoleCodes, announce, batchSize = 500 } = options
  return {
    name: 'work-center.clock',
    intervalMs: 1_000,
    dueAt: nextChangeAt,
    async runOnce(signal) {
      for (let count = batchSize; count === batchSize && !signal.aborted; ) {
        const batch = await database.transaction(async (tx) => {
          const { entryCount, changes } = await passTime(tx, batchSize)
          return { entryCount, versions: await raiseVersions(tx, administratorRoleCodes, changes) }
        })
        if (batch.versions.size > 0) announce(batch.versions)
        count = batch.entryCount
      }
    },
  }
}
