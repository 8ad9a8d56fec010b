import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import type { roles } from '../schema.ts'

/** A stored role that other transactions cannot change until this one ends. */
export type LockedRole = Readonly<
  RowOf<typeof roles, 'id' | 'code' | 'name' | 'description' | 'permissions' | 'isActive'>
>

/**
 * Waits until no other transaction changes the role, then locks it and reads it. The lock does not cover the row's key, so
 * other transactions can assign the role to users in the meantime.
 * @throws {CoreError} roles.not_found
 */
export async function lockRole(tx: Tx, id: string): Promise<LockedRole> {
  const [role] = await tx.execute<LockedRole>(sql`
    select id, code, name, description, permissions, is_active
    from core_audit.roles
    where id = ${id}::uuid
    for no key update`)
  if (role === undefined) throw new CoreError('roles.not_found')
  return role
}
