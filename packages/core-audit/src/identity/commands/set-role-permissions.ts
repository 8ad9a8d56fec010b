import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import { appendToOutbox } from '../../outbox/commands/append-to-outbox.ts'
import { accessChangeOf } from '../access-changed.ts'
import type { Administrator } from '../administrator.ts'
import { roleEvent } from '../audit.ts'
import type { Role } from '../contract.ts'
import { type AccessRules, isAdministratorRole, normalizePermissions, permissionErrors } from '../policy.ts'
import { findRole } from '../queries/find-role.ts'
import { lockRole } from '../queries/lock-role.ts'

export interface SetRolePermissions {
  readonly id: string
  readonly permissions: readonly string[]
  /** The permissions that the administrator saw. Absent: replaces any permissions. */
  readonly expectedPermissions?: readonly string[] | undefined
  readonly by: Administrator
}

/**
 * Replaces the permissions of a role. The change applies from the next request of each user with the role. A call without
 * changes writes nothing and is no conflict, so a repeated call succeeds.
 *
 * @throws {CoreError} roles.not_found · permission.denied · request.invalid · roles.protected · roles.version_conflict
 */
export async function setRolePermissions(
  tx: Tx,
  rules: AccessRules,
  input: SetRolePermissions,
): Promise<Role> {
  const { id, by } = input
  const role = await lockRole(tx, id)
  await by.authorize(tx)
  const errors = permissionErrors(rules, input.permissions, role.permissions)
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  if (isAdministratorRole(rules, role.code)) throw new CoreError('roles.protected')
  const held = normalizePermissions(role.permissions)
  const permissions = normalizePermissions(input.permissions)
  const changes = fieldChanges({ permissions: held }, { permissions })
  if (changes.length > 0) {
    if (
      input.expectedPermissions !== undefined &&
      !isSame(normalizePermissions(input.expectedPermissions), held)
    )
      throw new CoreError('roles.version_conflict')
    await tx.execute(sql`
      update core_audit.roles
      set permissions = ${sql.param(permissions)}::text[],
        is_changed_by_person = true,
        updated_at = clock_timestamp()
      where id = ${id}::uuid`)
    await Promise.all([
      recordAudit(tx, roleEvent({ id, actionCode: 'roles.permissions_changed', actor: by.actor, changes })),
      appendToOutbox(tx, accessChangeOf({ roleId: id }, by.actor)),
    ])
  }
  return findRole(tx, rules, id)
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()
