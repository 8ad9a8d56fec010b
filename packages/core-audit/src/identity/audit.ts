import type { Actor } from '../access/actor.ts'
import type { FieldChange, NewAuditEvent } from '../audit/commands/record-audit.ts'
import { roleTarget, securityModule, userTarget } from '../audit/security-events.ts'

/** The actions on a role. */
export type RoleAction =
  | 'roles.created'
  | 'roles.updated'
  | 'roles.permissions_changed'
  | 'roles.deactivated'
  | 'roles.reactivated'

/** The actions on a user. */
export type UserAction =
  | 'users.created'
  | 'users.roles_changed'
  | 'users.deactivated'
  | 'users.reactivated'
  | SubstitutionAction

/** The actions on the substitute of a user. They change no access. */
export type SubstitutionAction = 'users.substitution_set' | 'users.substitution_ended'

/** The change of a role or a user. */
export interface AccessEvent<Action> {
  readonly id: string
  readonly actionCode: Action
  /** `null` when the host seeds roles and users. */
  readonly actor: Actor | null
  readonly changes: readonly FieldChange[]
}

/** Creates the audit event of a change to a role. */
export function roleEvent(event: AccessEvent<RoleAction>): NewAuditEvent {
  return toAuditEvent({ ...roleTarget, id: event.id }, event)
}

/** Creates the audit event of a change to a user. It names roles by their codes. */
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
