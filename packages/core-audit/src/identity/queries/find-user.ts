import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import { toInstant } from '../../instant.ts'
import type { User } from '../contract.ts'
import type { users } from '../schema.ts'

/** A user as {@link userColumns} reads it. */
export type UserRow = Omit<RowOf<typeof users>, 'is_changed_by_person'> & { roles: User['roles'] }

/** Columns of `core_audit.users u`. The lookup of the roles uses the primary keys of `user_roles` and `roles`. */
export const userColumns = sql`
  u.id, u.subject, u.email, u.display_name, u.is_active, u.created_at, u.updated_at,
  (
    select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'code', r.code, 'name', r.name) order by r.code), '[]')
    from core_audit.user_roles ur
    join core_audit.roles r on r.id = ur.role_id
    where ur.user_id = u.id
  ) as roles`

/**
 * Returns the user with this id.
 * @throws {CoreError} users.not_found
 */
export async function findUser(db: Db, id: string): Promise<User> {
  const [row] = await db.execute<UserRow>(sql`
    select ${userColumns}
    from core_audit.users u
    where u.id = ${id}::uuid`)
  if (row === undefined) throw new CoreError('users.not_found')
  return toUser(row)
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    subject: row.subject,
    email: row.email,
    displayName: row.display_name,
    isActive: row.is_active,
    roles: row.roles,
    createdAtUtc: toInstant(row.created_at),
    updatedAtUtc: toInstant(row.updated_at),
  }
}
