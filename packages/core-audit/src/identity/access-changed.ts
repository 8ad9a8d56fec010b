import * as v from 'valibot'
import type { Actor } from '../access/actor.ts'
import { Id } from '../http/contract.ts'
import type { NewOutboxEvent } from '../outbox/commands/append-to-outbox.ts'
import type { EventDescriptor } from '../outbox/event.ts'

/** The data of the event: the id of the role or the user. Query the current access, because it can have changed again. */
export const AccessChangedData = v.union([v.object({ roleId: Id }), v.object({ userId: Id })])
export type AccessChangedData = v.InferOutput<typeof AccessChangedData>

/**
 * The event of changed access: a role's permissions or activity, or a user's roles or activity. Its subject is
 * `security/role/<id>` or `security/user/<id>`.
 */
export const accessChanged = {
  type: 'security.access.changed',
  schema: AccessChangedData,
} satisfies EventDescriptor

/** Creates the event. Append it while you lock the row of the role or the user. `actor` is null for a seed of the host. */
export function accessChangeOf(changed: AccessChangedData, actor: Actor | null): NewOutboxEvent {
  return {
    type: accessChanged.type,
    source: 'core-audit',
    subject: 'roleId' in changed ? `security/role/${changed.roleId}` : `security/user/${changed.userId}`,
    actorUserId: actor?.userId ?? null,
    correlationId: actor?.correlationId ?? null,
    causationId: null,
    schemaVersion: 1,
    data: changed,
  }
}
