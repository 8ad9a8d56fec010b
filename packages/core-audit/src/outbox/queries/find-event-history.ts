import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { isUuid } from '../../http/contract.ts'
import { toInstant } from '../../instant.ts'
import type { outboxAttempts, outboxDeliveries, outboxEvents } from '../schema.ts'

/** One finished attempt at a delivery. */
export interface Attempt {
  readonly consumer: string
  /** The number of the attempt. It starts at 1, and starts at 1 again after a retry by an operator. */
  readonly attempt: number
  readonly startedAtUtc: string
  readonly endedAtUtc: string
  readonly outcome: 'completed' | 'failed' | 'abandoned'
  readonly failure: Readonly<Record<string, unknown>> | null
}

/** The envelope and the history of an event, without its data. */
export interface EventHistory {
  readonly id: string
  readonly type: string
  readonly source: string
  readonly subject: string
  readonly appendedAtUtc: string
  readonly correlationId: string | null
  readonly deliveries: readonly {
    readonly consumer: string
    readonly state: string
    readonly sinceUtc: string
  }[]
  /** Sorted from oldest to newest. */
  readonly attempts: readonly Attempt[]
}

type EventRow = RowOf<typeof outboxEvents, 'id' | 'type' | 'source' | 'subject' | 'time' | 'correlationId'>
type DeliveryRow = RowOf<typeof outboxDeliveries, 'consumer' | 'state' | 'stateSince'>
type AttemptRow = RowOf<
  typeof outboxAttempts,
  'consumer' | 'attempt' | 'startedAt' | 'endedAt' | 'outcome' | 'error'
>

/** Returns an event by its id, or undefined for unknown and malformed ids. */
export async function findEventHistory(db: Db, eventId: string): Promise<EventHistory | undefined> {
  if (!isUuid(eventId)) return undefined
  const [event] = await db.execute<EventRow>(sql`
    select id, type, source, subject, time, correlation_id
    from core_audit.outbox_events
    where id = ${eventId}::uuid`)
  if (event === undefined) return undefined
  const deliveries = await db.execute<DeliveryRow>(sql`
    select consumer, state, state_since
    from core_audit.outbox_deliveries
    where event_id = ${eventId}::uuid
    order by consumer`)
  const attempts = await db.execute<AttemptRow>(sql`
    select consumer, attempt, started_at, ended_at, outcome, error
    from core_audit.outbox_attempts
    where event_id = ${eventId}::uuid
    order by id`)
  return {
    id: event.id,
    type: event.type,
    source: event.source,
    subject: event.subject,
    appendedAtUtc: toInstant(event.time),
    correlationId: event.correlation_id,
    deliveries: deliveries.map(({ state_since, ...row }) => ({ ...row, sinceUtc: toInstant(state_since) })),
    attempts: attempts.map(({ started_at, ended_at, error, ...row }) => ({
      ...row,
      startedAtUtc: toInstant(started_at),
      endedAtUtc: toInstant(ended_at),
      failure: error,
    })),
  }
}
