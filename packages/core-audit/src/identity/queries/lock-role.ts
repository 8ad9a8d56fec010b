import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { CoreError } from '../../errors.ts'
import type { roles } from '../schema.ts'

/** A role as it is stored, and as it stays until the transaction ends. */
export type LockedRole = Readonly<
  RowOf<typeof roles, 'id' | 'code' | 'name' | 'description' | 'permissions' | 'isActive'>
>

/**
 * Waits until nobody else changes the role, and reads it. Users can be given the role meanwhile: that locks its key.
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
