import { sql } from 'drizzle-orm/sql'
import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
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
import { findRole } from '../queries/find-role.ts'
import { withFreeCode } from './with-free-code.ts'

export interface CreateRole {
  readonly code: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
  readonly by: Administrator
}

/**
 * Adds a role. A role with an administrator's code stores no permissions: it has all permissions while the host registers
 * this code as an administrator's code.
 *
 * @throws {CoreError} permission.denied · request.invalid · roles.protected for an administrator's code, unless the caller
 *   is an administrator · roles.code_taken
 */
export async function createRole(tx: Tx, rules: AccessRules, input: CreateRole): Promise<Role> {
  const { code, name, description, by } = input
  const caller = await by.authorize(tx)
  const errors = permissionErrors(rules, input.permissions, [])
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  if (!mayCreateRole(rules, caller, code)) throw new CoreError('roles.protected')
  const permissions = isAdministratorRole(rules, code) ? [] : normalizePermissions(input.permissions)
  const id = tx.newId()
  await withFreeCode(code, () =>
    tx.execute(sql`
      insert into core_audit.roles (id, code, name, description, permissions)
      values (${id}::uuid, ${code}, ${name}, ${description}, ${sql.param(permissions)}::text[])`),
  )
  const changes = fieldChanges(null, { code, name, description, permissions })
  await recordAudit(tx, roleEvent({ id, actionCode: 'roles.created', actor: by.actor, changes }))
  return findRole(tx, rules, id)
}
