import type * as v from 'valibot'
import type { RowOf } from '../database/row-of.ts'
import { toInstant } from '../instant.ts'
import type { NewOutboxEvent } from './commands/append-to-outbox.ts'
import type { outboxEvents } from './schema.ts'

/**
 * An event as a consumer gets it. All but `data` is the envelope, written by the server that appended it: take whom and
 * what it concerns from `actorUserId` and `subject`, never from `data`, which may repeat what a client sent.
 */
export interface OutboxEvent extends NewOutboxEvent {
  /** A UUIDv7, the same for every consumer and every attempt. */
  readonly id: string
  /** When it was appended, by the database's clock. */
  readonly time: string
}

/**
 * A kind of event: its type, and what the `data` of its events is. Whoever appends such events exports it with
 * `satisfies EventDescriptor`, so that consumers know the type of the data they parse.
 */
export interface EventDescriptor<Schema extends v.GenericSchema = v.GenericSchema> {
  /** `document.action.completed` */
  readonly type: string
  readonly schema: Schema
}

/** An event as its row says. */
export type EventRow = Omit<RowOf<typeof outboxEvents>, 'position'>

/** The row as a consumer gets it. */
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

/** Enough to find an event. Its data is not for the log. */
export const nameOf = ({ id, type, subject, correlationId }: OutboxEvent) => ({
  id,
  type,
  subject,
  correlationId,
})
