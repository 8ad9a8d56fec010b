import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { pruneBatchSize, pruneExecutions } from './commands/prune-executions.ts'
import type { DocumentActionsConfig } from './config.ts'

export interface RetentionOptions {
  readonly database: Database
  readonly config: DocumentActionsConfig
}

/** Creates the worker that deletes executions past their retention time. It runs hourly and deletes in batches. */
export function createRetention({ database, config }: RetentionOptions): Worker {
  return {
    name: 'document-actions.retention',
    intervalMs: 60 * 60 * 1_000,
    async runOnce(signal) {
      let prunedCount = pruneBatchSize
      while (prunedCount === pruneBatchSize && !signal.aborted) {
        prunedCount = await database.transaction((tx) => pruneExecutions(tx, config))
      }
    },
  }
}
