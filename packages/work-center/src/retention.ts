import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { pruneNotifications } from './commands/prune-notifications.ts'
import { pruneTasks } from './commands/prune-tasks.ts'
import { raiseVersions } from './commands/raise-versions.ts'
import type { WorkCenterConfig } from './config.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { createShrinkingBatches, runBatches, runEach } from './shrinking-batches.ts'

export interface RetentionOptions {
  readonly database: Database
  readonly config: Pick<WorkCenterConfig, 'terminalTaskRetentionMs'>
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
  /** The maximum number of items per transaction, each with the entries of all its recipients. The default is 25. */
  readonly batchSize?: number
}

/**
 * Creates the worker that deletes old items. It deletes tasks `terminalTaskRetentionMs` after they were completed or
 * cancelled, and it deletes expired notifications. The deduplication keys of deleted items are free again: a later item
 * with the same key is a new item.
 */
export function createRetention(options: RetentionOptions): Worker {
  const { database, batchSize = 25 } = options
  const [tasks, notifications] = [createShrinkingBatches(batchSize), createShrinkingBatches(batchSize)]
  return {
    name: 'work-center.retention',
    intervalMs: 3_600_000,
    async runOnce(signal) {
      await runEach([
        () =>
          runBatches(tasks, signal, async (size) => {
            return (await pruneTaskBatch({ ...options, batchSize: size })) === size
          }),
        () =>
          runBatches(notifications, signal, async (size) => {
            return (await database.transaction((tx) => pruneNotifications(tx, size))) === size
          }),
      ])
    },
  }
}

async function pruneTaskBatch(options: Required<RetentionOptions>): Promise<number> {
  const { database, config, administratorRoleCodes, announce, batchSize } = options
  const { taskCount, versions } = await database.transaction(async (tx) => {
    const pruned = await pruneTasks(tx, { retentionMs: config.terminalTaskRetentionMs, batchSize })
    const versions = await raiseVersions(tx, administratorRoleCodes, pruned.changes)
    return { taskCount: pruned.taskCount, versions }
  })
  if (versions.size > 0) announce(versions)
  return taskCount
}
