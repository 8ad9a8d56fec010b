import type { Outbox, OutboxConsumer } from '@vertical-kit/core-audit/outbox'
import { type InboxOptions, openInbox } from '../inbox/inbox.ts'
import type { AnnounceChanges, VersionChanges } from '../inbox/version-changes.ts'
import { continueAfter, handleAccessChanges } from './access-changed-handler.ts'
import type { EventHandler } from './event-handler.ts'

export interface ConsumeOutboxOptions extends InboxOptions {
  readonly eventHandlers: readonly EventHandler[]
  readonly announce: AnnounceChanges
}

/**
 * Creates the Work Center's consumer of the outbox. The writes of the event handlers commit together with the mark that
 * the event was handled. Open pages are notified after the commit. An event without a handler is only marked as handled.
 * The events of a batch share one inbox: handlers run for one event after the other, and then `finish` sends the writes
 * of all handlers together.
 */
export function consumeOutbox(outbox: Outbox, options: ConsumeOutboxOptions): OutboxConsumer {
  const { eventHandlers, announce } = options
  return outbox.consume<VersionChanges>({
    name: 'work-center',
    healthName: 'workCenterOutbox',
    async handle(tx, events) {
      const inbox = openInbox(tx, options)
      handleAccessChanges(inbox, events)
      for (const event of events) {
        for (const handler of eventHandlers) {
          if (handler.eventType === event.type) await handler.run(inbox, event, tx)
        }
      }
      const versions = await inbox.finish()
      const { joinedThrough } = inbox
      if (joinedThrough !== null) await outbox.append(tx, ...continueAfter(joinedThrough, events))
      return versions
    },
    onCommitted: (versions) => {
      if (versions.size > 0) announce(versions)
    },
  })
}
