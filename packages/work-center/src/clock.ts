import { sql } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { passSubstitutions } from './commands/pass-substitutions.ts'
import { nextChangeAt, passTime } from './commands/pass-time.ts'
import { raiseVersions } from './commands/raise-versions.ts'
import { nextNoticeAt, sendNotices } from './commands/send-notices.ts'
import type { WorkCenterConfig } from './config.ts'
import type { ItemDefinition } from './definitions/definition.ts'
import type { AnnounceChanges, SeenChange, VersionChanges } from './inbox/version-changes.ts'
import { createShrinkingBatches, runEach } from './shrinking-batches.ts'

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
 * a reminder or an escalation is due, or a substitution starts or ends. Queries compare stored times with the current time, so the
 * worker does not update the state of items. It sends the reminders and escalations, raises the versions of the affected users, and
 * notifies their open pages. A failure of one of the three does not stop the others.
 */
export function createClock(options: ClockOptions): Worker {
  const { database, definitions, config, administratorRoleCodes, announce, batchSize = 500 } = options
  const notices = createShrinkingBatches(Math.min(batchSize, noticesMax))
  const retentionMs = config.notificationRetentionMs
  /** Runs batches, each in one transaction, until one of them is not full. */
  const untilDone = async (signal: AbortSignal, run: () => Promise<Batch>): Promise<void> => {
    for (let isFull = true; isFull && !signal.aborted; ) {
      const batch = await run()
      if (batch.versions.size > 0) announce(batch.versions)
      isFull = batch.isFull
    }
  }
  const commit = (work: (tx: Tx) => Promise<Changed>): Promise<Batch> =>
    database.transaction(async (tx) => {
      const { isFull, changes } = await work(tx)
      return { isFull, versions: await raiseVersions(tx, administratorRoleCodes, changes) }
    })
  const substitutions = async (): Promise<void> => {
    const passed = await passSubstitutions(database, administratorRoleCodes)
    if (passed.size > 0) announce(passed)
  }
  const times = async (tx: Tx): Promise<Changed> => {
    const { entryCount, changes } = await passTime(tx, batchSize)
    return { isFull: entryCount === batchSize, changes }
  }
  const sentNotices = async (tx: Tx, size: number): Promise<Changed> => {
    const { taskCount, changes } = await sendNotices(tx, { definitions, retentionMs, batchSize: size })
    return { isFull: taskCount === size, changes }
  }
  return {
    name: 'work-center.clock',
    intervalMs: 1_000,
    dueAt: sql`least(${nextChangeAt}, ${nextNoticeAt(definitions)})`,
    async runOnce(signal) {
      await runEach([
        substitutions,
        () => untilDone(signal, () => commit(times)),
        // A smaller batch follows in the next cycle: an attempt can take until the statement timeout.
        () => untilDone(signal, () => notices.run((size) => commit((tx) => sentNotices(tx, size)))),
      ])
    },
  }
}

/** The changes of a batch that users see, and whether another batch follows. */
interface Changed {
  readonly isFull: boolean
  readonly changes: readonly SeenChange[]
}

interface Batch {
  readonly isFull: boolean
  readonly versions: VersionChanges
}
