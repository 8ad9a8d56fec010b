import type { Tx } from '@vertical-kit/core-audit/database'
import type { EventDescriptor, OutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import type { Inbox, OpenInbox } from '../inbox/inbox.ts'

/** Converts events of one type into tasks and notifications. */
export interface EventHandler {
  readonly eventType: string
  /** Rejects when the event's data does not match the handler's schema. */
  run(inbox: OpenInbox, event: OutboxEvent, tx: Tx): Promise<void>
}

/** An event with parsed data. `actorUserId` identifies its actor, and `subject` identifies its business object. */
export interface HandledEvent<Data> extends Omit<OutboxEvent, 'data'> {
  readonly data: Data
}

/**
 * A handler writes with `inbox` and reads with `tx`, in the transaction that marks the event as handled. The handler can
 * run several times for one event, but only one of these transactions commits. Any side effect outside the transaction
 * can happen more than once.
 */
export type HandleEvent<Data> = (inbox: Inbox, event: HandledEvent<Data>, tx: Tx) => void | Promise<void>

/**
 * Creates an event handler for one event type. If the data of an event does not match the schema of the descriptor, the
 * delivery fails. Several event handlers of one type run one after the other, in the order of `eventHandlers` of the
 * module.
 */
export function on<Schema extends v.GenericSchema>(
  { type, schema }: EventDescriptor<Schema>,
  handle: HandleEvent<v.InferOutput<Schema>>,
): EventHandler {
  return {
    eventType: type,
    async run(inbox, event, tx) {
      await handle(inbox, { ...event, data: v.parse(schema, event.data) }, tx)
    },
  }
}
