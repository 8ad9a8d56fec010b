import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { CoreError } from '../../errors.ts'
import type { roles } from '../schema.ts'

/** A stored role that other transactions cannot change until this one ends. */
export type LockedRole = Readonly<
  RowOf<typeof roles, 'id' | 'code' | 'name' | 'description' | 'permissions' | 'isActive'>
>

/**
 * Waits until no other transaction changes the role, locks it and reads it. The lock leaves the row's key free, so that
 * users can be assigned the role at the same time.
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
