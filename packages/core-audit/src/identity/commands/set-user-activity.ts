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
import { lockUser } from '../queries/lock-user.ts'

export interface SetUserActivity {
  readonly id: string
  readonly isActive: boolean
  readonly by: Administrator
}

/**
 * Locks a user out from the next request on, or ends the lockout. The user keeps all roles. Only administrators can change
 * a user with a stored administrator role. An administrator role from the token gives a user no such protection. The last
 * administrator and the caller can be locked out, too: then another user with the identity provider's administrator role can
 * restore access, or the operator of the database. A repeated call writes nothing.
 *
 * @throws {CoreError} users.not_found · permission.denied
 */
export async function setUserActivity(tx: Tx, rules: AccessRules, input: SetUserActivity): Promise<User> {
  const { id, isActive, by } = input
  const user = await lockUser(tx, id)
  const caller = await by.authorize(tx)
  const codes = user.roles.map((role) => role.code)
  if (!mayDecideOver(rules, caller, codes)) {
    throw new CoreError('permission.denied', { context: { permission: by.permission } })
  }
  const changes = fieldChanges({ isActive: user.isActive }, { isActive })
  if (changes.length > 0) {
    await tx.execute(sql`
      update core_audit.users
      set is_active = ${isActive}, is_changed_by_person = true, updated_at = clock_timestamp()
      where id = ${id}::uuid`)
    const actionCode = isActive ? 'users.reactivated' : 'users.deactivated'
    await Promise.all([
      recordAudit(tx, userEvent({ id, actionCode, actor: by.actor, changes })),
      appendToOutbox(tx, accessChangeOf({ userId: id }, by.actor)),
    ])
  }
  return findUser(tx, id)
}
