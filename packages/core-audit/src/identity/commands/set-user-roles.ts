import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import { appendToOutbox } from '../../outbox/commands/append-to-outbox.ts'
import { accessChangeOf } from '../access-changed.ts'
import type { Administrator } from '../administrator.ts'
import { userEvent } from '../audit.ts'
import type { User } from '../contract.ts'
import { type AccessRules, mayDecideOver } from '../policy.ts'
import { findUser } from '../queries/find-user.ts'
import { type AssignedRole, type LockedUser, lockUser } from '../queries/lock-user.ts'
import { requireRoles } from '../queries/require-roles.ts'

export interface SetUserRoles {
  readonly id: string
  /** Lower-case UUIDs; duplicates count once. */
  readonly roleIds: readonly string[]
  /** The roles that the administrator saw. Absent: replaces any roles. */
  readonly expectedRoleIds?: readonly string[] | undefined
  readonly by: Administrator
}

/**
 * Replaces the roles of a user. The change applies from the user's next request. Only administrators can assign or remove
 * an administrator role. A call without changes writes nothing and is no conflict, so a repeated call succeeds.
 *
 * @throws {CoreError} users.not_found · permission.denied · users.version_conflict · request.invalid for a role that does
 *   not exist
 */
export async function setUserRoles(tx: Tx, rules: AccessRules, input: SetUserRoles): Promise<User> {
  const { id, roleIds, expectedRoleIds, by } = input
  const user = await lockUser(tx, id)
  const caller = await by.authorize(tx)
  const next = await requireRoles(tx, roleIds)
  const changes = fieldChanges({ roles: codesOf(user.roles) }, { roles: codesOf(next) })
  if (changes.length > 0) {
    // First the conflict: to remove an administrator role that the caller has not seen is a conflict, not a lack of rights.
    if (expectedRoleIds !== undefined && !isSame(expectedRoleIds, user.roles))
      throw new CoreError('users.version_conflict')
    if (!mayDecideOver(rules, caller, codesOf(difference(user.roles, next)))) {
      throw new CoreError('permission.denied', { context: { permission: by.permission } })
    }
    await replaceRoles(tx, user, next)
    await Promise.all([
      recordAudit(tx, userEvent({ id, actionCode: 'users.roles_changed', actor: by.actor, changes })),
      appendToOutbox(tx, accessChangeOf({ userId: id }, by.actor)),
    ])
  }
  return findUser(tx, id)
}

async function replaceRoles(tx: Tx, user: LockedUser, next: readonly AssignedRole[]): Promise<void> {
  const ids = sql`${sql.param(next.map((role) => role.id))}::uuid[]`
  await Promise.all([
    tx.execute(sql`
      delete from core_audit.user_roles
      where user_id = ${user.id}::uuid and not role_id = any(${ids})`),
    tx.execute(sql`
      insert into core_audit.user_roles (user_id, role_id)
      select ${user.id}::uuid, unnest(${ids})
      on conflict do nothing`),
    tx.execute(sql`
      update core_audit.users
      set is_changed_by_person = true, updated_at = clock_timestamp()
      where id = ${user.id}::uuid`),
  ])
}

/** Returns the roles that only one of the lists contains. */
function difference(one: readonly AssignedRole[], other: readonly AssignedRole[]): readonly AssignedRole[] {
  const ids = (roles: readonly AssignedRole[]) => new Set(roles.map((role) => role.id))
  const [ofOne, ofOther] = [ids(one), ids(other)]
  return [...one.filter((role) => !ofOther.has(role.id)), ...other.filter((role) => !ofOne.has(role.id))]
}

const codesOf = (roles: readonly AssignedRole[]): readonly string[] => roles.map((role) => role.code)

function isSame(ids: readonly string[], roles: readonly AssignedRole[]): boolean {
  const expected = new Set(ids)
  return expected.size === roles.length && roles.every((role) => expected.has(role.id))
}
