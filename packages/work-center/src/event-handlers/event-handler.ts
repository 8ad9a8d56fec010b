import type { Tx } from '@vertical-kit/core-audit/database'
import type { EventDescriptor, OutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import type { Inbox, OpenInbox } from '../inbox/inbox.ts'

/** What events of one type mean for users' Work Centers. */
export interface EventHandler {
  readonly eventType: string
  /** Rejects when the event's data is not what the event handler takes. */
  run(inbox: OpenInbox, event: OutboxEvent, tx: Tx): Promise<void>
}

/** An event whose data was parsed. Whom and what it concerns is in the envelope: `actorUserId`, `subject`. */
export interface HandledEvent<Data> extends Omit<OutboxEvent, 'data'> {
  readonly data: Data
}

/**
 * Writes with `inbox`, and reads with `tx` what it needs to know, in the transaction that marks the event as handled. It may
 * be called several times for an event, of which one commits: what leaves by another way leaves each time.
 */
export type HandleEvent<Data> = (inbox: Inbox, event: HandledEvent<Data>, tx: Tx) => void | Promise<void>

/**
 * An event handler of a vertical: what the events of one kind mean. Data that does not fit the descriptor's schema fails the
 * delivery. Several event handlers of one event type run one after the other, in the order they are given to the module.
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
