import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import type { roles, users } from '../schema.ts'

/** A role by id and code. */
export type AssignedRole = Readonly<RowOf<typeof roles, 'id' | 'code'>>

/** A stored user that other transactions cannot change until this one ends. */
export interface LockedUser {
  readonly id: string
  readonly isActive: boolean
  readonly isChangedByPerson: boolean
  /** Sorted by code, including inactive roles. */
  readonly roles: readonly AssignedRole[]
}

/**
 * Waits until no other transaction changes the user, then locks the user and reads it with its roles. The lock does not
 * cover the row's key, so other transactions can insert rows that reference the user.
 *
 * @throws {CoreError} users.not_found
 */
export async function lockUser(tx: Tx, id: string): Promise<LockedUser> {
  const [user] = await tx.execute<RowOf<typeof users, 'id' | 'isActive' | 'isChangedByPerson'>>(sql`
    select id, is_active, is_changed_by_person
    from core_audit.users
    where id = ${id}::uuid
    for no key update`)
  if (user === undefined) throw new CoreError('users.not_found')
  // Use a second statement: the statement that waited for the lock sees the roles as they were before the wait.
  const roles = await tx.execute<AssignedRole>(sql`
    select r.id, r.code
    from core_audit.user_roles ur
    join core_audit.roles r on r.id = ur.role_id
    where ur.user_id = ${id}::uuid
    order by r.code`)
  return {
    id: user.id,
    isActive: user.is_active,
    isChangedByPerson: user.is_changed_by_person,
    roles: [...roles],
  }
}
