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

/** An event with parsed data. The envelope contains its actor (`actorUserId`) and its business object (`subject`). */
export interface HandledEvent<Data> extends Omit<OutboxEvent, 'data'> {
  readonly data: Data
}

/**
 * Writes with `inbox` and reads with `tx`, in the transaction that marks the event as handled. An event may be handled
 * several times, but only one transaction commits: any other side effect can happen more than once.
 */
export type HandleEvent<Data> = (inbox: Inbox, event: HandledEvent<Data>, tx: Tx) => void | Promise<void>

/**
 * Creates an event handler for one event type. Data that does not match the descriptor's schema fails the delivery. Several
 * event handlers of one type run one after the other, in the order in which the module received them.
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
