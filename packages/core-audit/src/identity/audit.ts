import type { Actor } from '../access/actor.ts'
import type { FieldChange, NewAuditEvent } from '../audit/commands/record-audit.ts'
import { roleTarget, securityModule, userTarget } from '../audit/security-events.ts'

/** What can happen to a role. */
export type RoleAction =
  | 'roles.created'
  | 'roles.updated'
  | 'roles.permissions_changed'
  | 'roles.deactivated'
  | 'roles.reactivated'

/** What can happen to a user. */
export type UserAction = 'users.created' | 'users.roles_changed' | 'users.deactivated' | 'users.reactivated'

interface AccessEvent<Action> {
  readonly id: string
  readonly actionCode: Action
  /** `null` for the host, which seeds roles and users. */
  readonly actor: Actor | null
  readonly changes: readonly FieldChange[]
}

/** The event of a change to a role. */
export function roleEvent(event: AccessEvent<RoleAction>): NewAuditEvent {
  return toAuditEvent({ ...roleTarget, id: event.id }, event)
}

/** The event of a change to a user. Roles are told by their codes. */
export function userEvent(event: AccessEvent<UserAction>): NewAuditEvent {
  return toAuditEvent({ ...userTarget, id: event.id }, event)
}

function toAuditEvent(target: NewAuditEvent['target'], event: AccessEvent<string>): NewAuditEvent {
  return {
    module: securityModule,
    target,
    actionCode: event.actionCode,
    actorUserId: event.actor?.userId ?? null,
    correlationId: event.actor?.correlationId ?? null,
    changes: event.changes,
  }
}
