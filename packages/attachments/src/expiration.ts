import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import { expireUploads, nextExpiryAt } from './commands/expire-uploads.ts'
import type { AttachmentsConfig } from './config.ts'

export interface ExpirationOptions {
  readonly database: Database
  readonly config: AttachmentsConfig
}

/** Creates the worker that expires abandoned uploads in batches. The worker uses the database, but not the store. */
export function createExpiration({ database, config }: ExpirationOptions): Worker {
  return {
    name: 'attachments.upload-expiration',
    intervalMs: 30_000,
    dueAt: nextExpiryAt(config),
    async runOnce(signal) {
      let expiredCount = config.expirationBatchSize
      while (expiredCount === config.expirationBatchSize && !signal.aborted) {
        expiredCount = await database.transaction((tx) => expireUploads(tx, config))
      }
    },
  }
}
