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
import { type AccessRules, maySetActivity } from '../policy.ts'
import { findRole } from '../queries/find-role.ts'
import { lockRole } from '../queries/lock-role.ts'

export interface SetRoleActivity {
  readonly id: string
  readonly isActive: boolean
  readonly by: Administrator
}

/**
 * Switches a role off or on. A role that is off grants nothing to its users. A repeated call writes nothing.
 *
 * @throws {CoreError} roles.not_found · permission.denied · roles.protected
 */
export async function setRoleActivity(tx: Tx, rules: AccessRules, input: SetRoleActivity): Promise<Role> {
  const { id, isActive, by } = input
  const role = await lockRole(tx, id)
  const caller = await by.authorize(tx)
  if (!maySetActivity(rules, caller, { code: role.code, from: role.is_active, to: isActive })) {
    throw new CoreError('roles.protected')
  }
  const changes = fieldChanges({ isActive: role.is_active }, { isActive })
  if (changes.length > 0) {
    await tx.execute(sql`
      update core_audit.roles
      set is_active = ${isActive}, is_changed_by_person = true, updated_at = clock_timestamp()
      where id = ${id}::uuid`)
    const actionCode = isActive ? 'roles.reactivated' : 'roles.deactivated'
    await Promise.all([
      recordAudit(tx, roleEvent({ id, actionCode, actor: by.actor, changes })),
      appendToOutbox(tx, accessChangeOf({ roleId: id }, by.actor)),
    ])
  }
  return findRole(tx, rules, id)
}
