import { newId } from '@vertical-kit/core-audit'
import type { NewOutboxEvent } from '@vertical-kit/core-audit/outbox'

/** Creates an event. It has a subject of its own unless the test overrides the subject. */
export function event(overrides: Partial<NewOutboxEvent> = {}): NewOutboxEvent {
  return {
    type: 'thing.changed',
    source: 'things',
    subject: `thing/${newId()}`,
    actorUserId: null,
    correlationId: null,
    causationId: null,
    schemaVersion: 1,
    data: {},
    ...overrides,
  }
}
