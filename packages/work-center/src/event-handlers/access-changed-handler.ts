import { accessChanged } from '@vertical-kit/core-audit/identity'
import type { NewOutboxEvent, OutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import type { OpenInbox } from '../inbox/inbox.ts'

/** The event with which the handling of a change of access goes on. Only the Work Center appends and handles it. */
const accessContinued = 'work_center.access.continued'

/** The part of the event's data that tells where to go on. */
const Progress = v.object({
  joinedThrough: v.optional(v.string()),
})

const isAccessChange = ({ type }: OutboxEvent): boolean =>
  [accessChanged.type, accessContinued].includes(type)

/**
 * Handles changes of roles, permissions and accounts. Raises the versions of all affected users, gives back tasks when their
 * claimer has lost the role, and makes new members of a role recipients of its unclaimed tasks. Reads the current rights from
 * the database, because the event may be outdated.
 */
export function handleAccessChanges(inbox: OpenInbox, events: readonly OutboxEvent[]): void {
  for (const { data } of events.filter(isAccessChange)) {
    inbox.changeAccess(v.parse(accessChanged.schema, data), v.parse(Progress, data).joinedThrough)
  }
}

/** Returns the events with which to go on after the users who have joined tasks already. */
export const continueAfter = (
  joinedThrough: string,
  events: readonly OutboxEvent[],
): readonly NewOutboxEvent[] =>
  events.filter(isAccessChange).map(({ id, time: _, data, ...event }) => ({
    ...{ ...event, type: accessContinued, source: 'work-center', causationId: id },
    data: { ...data, joinedThrough },
  }))
