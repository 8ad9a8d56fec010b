import { sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { passSubstitutions } from './commands/pass-substitutions.ts'
import { nextChangeAt, passTime } from './commands/pass-time.ts'
import { raiseVersions } from './commands/raise-versions.ts'
import { nextNoticeAt, sendNotices } from './commands/send-notices.ts'
import type { WorkCenterConfig } from './config.ts'
import type { ItemDefinition } from './definitions/definition.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'

export interface ClockOptions {
  readonly database: Database
  /** All definitions of the Work Center: the tasks' definitions describe reminders and escalations. */
  readonly definitions: readonly ItemDefinition[]
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
  /** The maximum number of entries, and of tasks with a notice, per transaction. The default is 500 entries and 25 tasks. */
  readonly batchSize?: number
}

/** The maximum number of tasks with a notice per transaction: each task can have thousands of recipients. */
const noticesMax = 25

/**
 * Creates the worker for changes that only time causes: a snooze ends, a task becomes overdue, a notification expires,
 * a reminder or an escalation is due, or a substitution starts or ends. Queries compare stored times with the current time, so the worker does not update the
 * state of items. It sends the reminders and escalations, raises the versions of the affected users, and notifies their
 * open pages.
 */
export function createClock(options: ClockOptions): Worker {
  const { database, definitions, config, administratorRoleCodes, announce, batchSize = 500 } = options
  const noticeBatchSize = Math.min(batchSize, noticesMax)
  const retentionMs = config.notificationRetentionMs
  return {
    name: 'work-center.clock',
    intervalMs: 1_000,
    dueAt: sql`least(${nextChangeAt}, ${nextNoticeAt(definitions)})`,
    async runOnce(signal) {
      const passed = await passSubstitutions(database, administratorRoleCodes)
      if (passed.size > 0) announce(passed)
      for (let isFull = true; isFull && !signal.aborted; ) {
        const batch = await database.transaction(async (tx) => {
          const [passed, notices] = await Promise.all([
            passTime(tx, batchSize),
            sendNotices(tx, { definitions, retentionMs, batchSize: noticeBatchSize }),
          ])
          const changes = [...passed.changes, ...notices.changes]
          return {
            isFull: passed.entryCount === batchSize || notices.taskCount === noticeBatchSize,
            versions: await raiseVersions(tx, administratorRoleCodes, changes),
          }
        })
        if (batch.versions.size > 0) announce(batch.versions)
        isFull = batch.isFull
      }
    },
  }
}
