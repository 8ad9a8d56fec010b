import type { Database } from '../database/database.ts'
import type { Worker } from '../host/workers.ts'
import { pruneEvents } from './commands/prune-events.ts'
import { checkRetentionConfig, type OutboxRetentionConfig } from './config.ts'

export interface OutboxRetentionOptions {
  readonly database: Database
  readonly config: OutboxRetentionConfig
}

/**
 * Creates the worker that deletes finished events in batches. Dead letters stay until an operator retries or discards them.
 * @throws {TypeError} naming the option that is out of bounds
 */
export function createOutboxRetention(options: OutboxRetentionOptions): Worker {
  const { database } = options
  const config = checkRetentionConfig(options.config)
  return {
    name: 'outbox.retention',
    intervalMs: config.intervalMs,
    async runOnce(signal) {
      for (let after: string | null = '0'; after !== null && !signal.aborted; ) {
        const from: string = after
        after = (await database.transaction((tx) => pruneEvents(tx, config, from))).next
      }
    },
  }
}
