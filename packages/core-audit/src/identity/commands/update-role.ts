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
import { type AccessRules, mayChangeCode } from '../policy.ts'
import { findRole } from '../queries/find-role.ts'
import { lockRole } from '../queries/lock-role.ts'
import { reserveRoleCode } from './reserve-role-code.ts'

export interface UpdateRole {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly description: string
  /** Refuses the change if the role has other texts now. */
  readonly expected?: Pick<Role, 'code' | 'name' | 'description'> | undefined
  readonly by: Administrator
}

/**
 * Sets the code, name and description of a role. A call without changes writes nothing and is no conflict, so a repeated
 * call succeeds. A new code is reserved first, because this can wait, and the rights of the caller are checked after it.
 *
 * @throws {CoreError} roles.not_found · permission.denied · roles.protected · roles.code_taken · roles.version_conflict
 */
export async function updateRole(tx: Tx, rules: AccessRules, input: UpdateRole): Promise<Role> {
  const { id, code, name, description, expected, by } = input
  const role = await lockRole(tx, id)
  if (!mayChangeCode(rules, role.code, code)) throw new CoreError('roles.protected')
  const reservedId = code === role.code ? null : await reserveRoleCode(tx, code)
  const caller = await by.authorize(tx)
  const changes = fieldChanges(textsOf(role), { code, name, description })
  if (changes.length > 0) {
    if (expected !== undefined && fieldChanges(textsOf(role), textsOf(expected)).length > 0)
      throw new CoreError('roles.version_conflict')
    // The role takes over the reserved code, so the reservation is never committed.
    if (reservedId !== null)
      await tx.execute(sql`delete from core_audit.roles where id = ${reservedId}::uuid`)
    await tx.execute(sql`
      update core_audit.roles
      set code = ${code},
        name = ${name},
        description = ${description},
        is_changed_by_person = true,
        is_code_trusted = case when code = ${code} then is_code_trusted else ${caller.isAdministrator} end,
        updated_at = clock_timestamp()
      where id = ${id}::uuid`)
    await Promise.all([
      recordAudit(tx, roleEvent({ id, actionCode: 'roles.updated', actor: by.actor, changes })),
      // Modules find the users of a role by its code.
      code === role.code ? undefined : appendToOutbox(tx, accessChangeOf({ roleId: id }, by.actor)),
    ])
  }
  return findRole(tx, rules, id)
}

const textsOf = ({ code, name, description }: Pick<Role, 'code' | 'name' | 'description'>) => ({
  code,
  name,
  description,
})
