import type { Database } from '../database/database.ts'
import type { HealthCheck } from '../host/health.ts'
import { outboxStatus } from './policy.ts'
import { summarizeOutbox } from './queries/summarize-outbox.ts'

export interface OutboxHealthOptions {
  readonly database: Database
  readonly consumer: string
  /** Of the entry in the report. */
  readonly name: string
}

/**
 * Degraded with dead letters; unhealthy when the oldest pending delivery that no dead letter holds back is over 15 minutes
 * old, or when the consumer is not registered and so gets nothing. Held back deliveries are counted as pending, but their
 * age is an operator's business: to take replicas out of service for it would help nobody.
 */
export function outboxHealth({ database, consumer, name }: OutboxHealthOptions): HealthCheck {
  return {
    name,
    async check() {
      const [summary] = await database.read((db) => summarizeOutbox(db, consumer))
      if (summary === undefined) return { status: 'Unhealthy' }
      const { pendingCount, deadCount, oldestPendingAgeSeconds } = summary
      return { status: outboxStatus(summary), pendingCount, failedCount: deadCount, oldestPendingAgeSeconds }
    },
  }
}
