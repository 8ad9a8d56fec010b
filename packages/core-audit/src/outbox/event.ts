import type * as v from 'valibot'
import type { RowOf } from '../database/row-of.ts'
import { toInstant } from '../instant.ts'
import type { NewOutboxEvent } from './commands/append-to-outbox.ts'
import type { outboxEvents } from './schema.ts'

/**
 * An event that a consumer receives. The server writes the envelope, which is everything except `data`. Read the actor and
 * the object from `actorUserId` and `subject`, never from `data`, because `data` can contain a client's input.
 */
export interface OutboxEvent extends NewOutboxEvent {
  /** A UUIDv7, identical for every consumer and every attempt. */
  readonly id: string
  /** The time of the append, by the database's clock. */
  readonly time: string
}

/**
 * A kind of event: its type, and the schema of its `data`. The package that appends such events exports it with `satisfies
 * EventDescriptor`, so that consumers know the type of the parsed data.
 */
export interface EventDescriptor<Schema extends v.GenericSchema = v.GenericSchema> {
  /** The type of the event, such as `document.action.completed`. */
  readonly type: string
  readonly schema: Schema
}

/** The row of an event. */
export type EventRow = Omit<RowOf<typeof outboxEvents>, 'position' | 'traceparent'>

/** Converts a row to the event that consumers receive. */
export function toOutboxEvent(row: EventRow): OutboxEvent {
  return {
    id: row.id,
    type: row.type,
    source: row.source,
    subject: row.subject,
    time: toInstant(row.time),
    actorUserId: row.actor_user_id,
    correlationId: row.correlation_id,
    causationId: row.causation_id,
    schemaVersion: row.schema_version,
    data: row.data,
  }
}

/** Returns the log fields that identify an event. The data of the event must not be logged. */
export const nameOf = ({ id, type, subject, correlationId }: OutboxEvent) => ({
  id,
  type,
  subject,
  correlationId,
})
