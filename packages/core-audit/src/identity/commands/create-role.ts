import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import type { Administrator } from '../administrator.ts'
import { roleEvent } from '../audit.ts'
import type { Role } from '../contract.ts'
import {
  type AccessRules,
  isAdministratorRole,
  mayCreateRole,
  normalizePermissions,
  permissionErrors,
} from '../policy.ts'
import { type RoleRow, roleColumns, toRole } from '../queries/find-role.ts'
import { reserveRoleCode } from './reserve-role-code.ts'

export interface CreateRole {
  readonly code: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  readonly by: Administrator
}

/**
 * Adds a role. A role with an administrator's code stores no permissions: it has all permissions while the host registers
 * this code as an administrator's code. The rights of the caller are checked while the role is inactive: see
 * {@link reserveRoleCode}.
 *
 * @throws {CoreError} permission.denied · request.invalid · roles.protected for an administrator's code, unless the caller
 *   is an administrator · roles.code_taken
 */
export async function createRole(tx: Tx, rules: AccessRules, input: CreateRole): Promise<Role> {
  const { code, name, description, by } = input
  const errors = permissionErrors(rules, input.permissions, [])
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  const id = await reserveRoleCode(tx, code)
  const caller = await by.authorize(tx)
  if (!mayCreateRole(rules, caller, code)) throw new CoreError('roles.protected')
  const permissions = isAdministratorRole(rules, code) ? [] : normalizePermissions(input.permissions)
  const [row] = await tx.execute<RoleRow>(sql`
    update core_audit.roles r
    set name = ${name},
      description = ${description},
      permissions = ${sql.param(permissions)}::text[],
      is_active = true,
      is_changed_by_person = true,
      is_code_trusted = ${caller.isAdministrator}
    where r.id = ${id}::uuid
    returning ${roleColumns}`)
  if (row === undefined) throw new Error('The update of a new role returned no row')
  const changes = fieldChanges(null, { code, name, description, permissions })
  await recordAudit(tx, roleEvent({ id, actionCode: 'roles.created', actor: by.actor, changes }))
  return toRole(rules, row)
}
