import * as v from 'valibot'
import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { Id, StorableText } from '../../http/contract.ts'
import { readCursor, takePage, writeCursor } from '../../http/paging.ts'
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
  /** The `nextCursor` of the previous page; `null` for the first page. */
  readonly cursor: string | null
}

const cursorList = 'outbox-dead-letters'

/** The position of a dead letter: the time in microseconds since 1970, the event and the consumer. */
const Position = v.tuple([v.pipe(v.string(), v.regex(/^\d{1,16}$/)), Id, StorableText])

type Row = RowOf<typeof outboxDeliveries, 'eventId' | 'consumer' | 'subject' | 'attempts' | 'stateSince'> &
  RowOf<typeof outboxEvents, 'type'> & {
    held_back_count: number
    last_failure: RowOf<typeof outboxAttempts>['error']
    since: string
  }

/**
 * Returns a page of dead letters, oldest first. The statement reads `outbox_deliveries_dead` in its order.
 * @throws {CoreError} request.invalid for an unknown cursor
 */
export async function listDeadLetters(
  db: Db,
  query: ListDeadLetters,
): Promise<{ readonly items: readonly DeadLetter[]; readonly nextCursor: string | null }> {
  const { consumer, limit, cursor } = query
  const after = cursor === null ? null : readCursor(cursorList, cursor, Position)
  const rows = await db.execute<Row>(sql`
    select d.event_id, d.consumer, e.type, d.subject, d.attempts, d.state_since, (extract(epoch from d.state_since) * 1000000)::bigint::text as since,
      (
        select count(*)::int
        from core_audit.outbox_deliveries later
        where later.consumer = d.consumer
          and later.subject = d.subject
          and later.position > d.position
          and later.state in ('pending', 'dead')
          -- Both values: with them, the index leads to the subject.
          and later.is_blocked in (false, true)
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
      and ${
        after === null
          ? sql`true`
          : sql`(d.state_since, d.event_id, d.consumer) > (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::uuid, ${after[2]})`
      }
    order by d.state_since, d.event_id, d.consumer
    ${limit === null ? sql`` : sql`limit ${limit + 1}::int`}`)
  const { items, last } = takePage(rows, limit ?? rows.length)
  const nextCursor =
    last === null ? null : writeCursor(cursorList, [last.since, last.event_id, last.consumer])
  return { items: items.map(toDeadLetter), nextCursor }
}

function toDeadLetter(row: Row): DeadLetter {
  return {
    eventId: row.event_id,
    consumer: row.consumer,
    type: row.type,
    subject: row.subject,
    attempts: row.attempts,
    deadSinceUtc: toInstant(row.state_since),
    heldBackCount: row.held_back_count,
    lastFailure: row.last_failure,
  }
}
