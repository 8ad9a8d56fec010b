import type { Outbox, OutboxConsumer } from '@vertical-kit/core-audit/outbox'
import { type InboxOptions, openInbox } from '../inbox/inbox.ts'
import type { AnnounceChanges, VersionChanges } from '../inbox/version-changes.ts'
import { accessPolicy } from './access-policy.ts'
import type { Policy } from './policy.ts'

export interface ConsumeOutboxOptions extends InboxOptions {
  readonly policies: readonly Policy[]
  readonly announce: AnnounceChanges
}

/**
 * The Work Center's consumer of the outbox: what the policies of an event's type write commits together with the mark that
 * it was handled, and open pages are told after. An event that no policy is for is handled at once. Events of a batch share
 * one inbox: policies run event by event, and all that they say is written together.
 */
export function consumeOutbox(outbox: Outbox, options: ConsumeOutboxOptions): OutboxConsumer {
  const { policies, announce } = options
  const handlers = [accessPolicy, ...policies]
  return outbox.consume<VersionChanges>({
    name: 'work-center',
    healthName: 'workCenterOutbox',
    async handle(tx, events) {
      const inbox = openInbox(tx, options)
      for (const event of events) {
        for (const policy of handlers) {
          if (policy.eventType === event.type) await policy.run(inbox, event, tx)
        }
      }
      return inbox.finish()
    },
    onCommitted: (versions) => {
      if (versions.size > 0) announce(versions)
    },
  })
}
