import type { Database } from '../database/database.ts'
import type { HealthCheck, HealthResult } from '../host/health.ts'
import { outboxStatus } from './policy.ts'
import { summarizeOutbox } from './queries/summarize-outbox.ts'

export interface OutboxHealthOptions {
  readonly database: Database
  readonly consumer: string
  /** The name of the entry in the report. */
  readonly name: string
}

const unregistered: HealthResult = {
  status: 'Unhealthy',
  detail:
    'This consumer receives no events. Register it in a migration: select core_audit.register_outbox_consumer(…).',
}

/**
 * Reports Degraded if the consumer has dead letters. Reports Unhealthy if the oldest pending delivery is over 15 minutes
 * old, or if the consumer is not registered, because it then receives no deliveries. Deliveries behind a dead letter count
 * as pending, but their age is ignored: they wait for an operator, and it would not help to remove replicas from service.
 */
export function outboxHealth({ database, consumer, name }: OutboxHealthOptions): HealthCheck {
  return {
    name,
    consumer,
    async check() {
      const [summary] = await database.read((db) => summarizeOutbox(db, consumer))
      if (summary === undefined) return unregistered
      const { pendingCount, deadCount, oldestPendingAgeSeconds } = summary
      return { status: outboxStatus(summary), pendingCount, failedCount: deadCount, oldestPendingAgeSeconds }
    },
  }
}
