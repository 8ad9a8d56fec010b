import * as v from 'valibot'
import type { Actor } from '../access/actor.ts'
import { Id } from '../http/contract.ts'
import type { NewOutboxEvent } from '../outbox/commands/append-to-outbox.ts'
import type { EventDescriptor } from '../outbox/event.ts'

/** What the event says: whose access it is. What they may do now is to be asked, it may have changed again. */
export const AccessChangedData = v.union([v.object({ roleId: Id }), v.object({ userId: Id })])
export type AccessChangedData = v.InferOutput<typeof AccessChangedData>

/**
 * The event that access has changed: a role's permissions or activity, a user's roles or activity. Its subject is
 * `security/role/<id>` or `security/user/<id>`.
 */
export const accessChanged = {
  type: 'security.access.changed',
  schema: AccessChangedData,
} satisfies EventDescriptor

/** The event. Append it while you hold the row of the role or the user; `actor` is null for the host, which seeds. */
export function accessChangeOf(whose: AccessChangedData, actor: Actor | null): NewOutboxEvent {
  return {
    type: accessChanged.type,
    source: 'core-audit',
    subject: 'roleId' in whose ? `security/role/${whose.roleId}` : `security/user/${whose.userId}`,
    actorUserId: actor?.userId ?? null,
    correlationId: actor?.correlationId ?? null,
    causationId: null,
    schemaVersion: 1,
    data: whose,
  }
}
