import { sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { toInstant } from '../../instant.ts'
import type { outboxAttempts, outboxDeliveries, outboxEvents } from '../schema.ts'

/** The details of a dead letter that an operator needs. They never include the event's data, because it can be personal. */
export interface DeadLetter {
  readonly eventId: string
  readonly consumer: string
  readonly type: string
  readonly subject: string
  readonly attempts: number
  readonly deadSinceUtc: string
  /** The number of later deliveries of this subject, which wait for this delivery. */
  readonly heldBackCount: number
  /** The result of {@link describeFailure}; `null` when the last attempt was abandoned. */
  readonly lastFailure: Readonly<Record<string, unknown>> | null
}

export interface ListDeadLetters {
  /** `null` selects all consumers. */
  readonly consumer: string | null
  /** `null` returns all dead letters. */
  readonly limit: number | null
}

type Row = RowOf<typeof outboxDeliveries, 'eventId' | 'consumer' | 'subject' | 'attempts' | 'stateSince'> &
  RowOf<typeof outboxEvents, 'type'> & {
    held_back_count: number
    last_failure: RowOf<typeof outboxAttempts>['error']
  }

/** Returns dead letters, oldest first. The statement reads `outbox_deliveries_dead` in its order. */
export async function listDeadLetters(db: Db, query: ListDeadLetters): Promise<readonly DeadLetter[]> {
  const { consumer, limit } = query
  const rows = await db.execute<Row>(sql`
    select d.event_id, d.consumer, e.type, d.subject, d.attempts, d.state_since,
      (
        select count(*)::int
        from core_audit.outbox_deliveries later
        where later.consumer = d.consumer
          and later.subject = d.subject
          and later.position > d.position
          and later.state in ('pending', 'dead')
      ) as held_back_count,
      (
        select a.error
        from core_audit.outbox_attempts a
        where a.event_id = d.event_id and a.consumer = d.consumer
        order by a.id desc
        limit 1
      ) as last_failure
    from core_audit.outbox_deliveries d
    join core_audit.outbox_events e on e.id = d.event_id
    where d.state = 'dead'
      and ${consumer === null ? sql`true` : sql`d.consumer = ${consumer}`}
    order by d.state_since, d.event_id
    ${limit === null ? sql`` : sql`limit ${limit}::int`}`)
  return rows.map((row) => ({
    eventId: row.event_id,
    consumer: row.consumer,
    type: row.type,
    subject: row.subject,
    attempts: row.attempts,
    deadSinceUtc: toInstant(row.state_since),
    heldBackCount: row.held_back_count,
    lastFailure: row.last_failure,
  }))
}
