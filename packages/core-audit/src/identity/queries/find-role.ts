import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import { toInstant } from '../../instant.ts'
import type { Role } from '../contract.ts'
import { type AccessRules, isAdministratorRole, normalizePermissions } from '../policy.ts'
import type { roles } from '../schema.ts'

/** A role as {@link roleColumns} reads it. */
export type RoleRow = Omit<RowOf<typeof roles>, 'is_changed_by_person'> & { assigned_user_count: number }

/** Columns of `core_audit.roles r`. The count uses the index `user_roles_by_role`. */
export const roleColumns = sql`
  r.id, r.code, r.name, r.description, r.permissions, r.is_active, r.created_at, r.updated_at,
  (select count(*)::int from core_audit.user_roles ur where ur.role_id = r.id) as assigned_user_count`

/**
 * Returns the role with this id.
 * @throws {CoreError} roles.not_found
 */
export async function findRole(db: Db, rules: AccessRules, id: string): Promise<Role> {
  const [row] = await db.execute<RoleRow>(sql`
    select ${roleColumns}
    from core_audit.roles r
    where r.id = ${id}::uuid`)
  if (row === undefined) throw new CoreError('roles.not_found')
  return toRole(rules, row)
}

/** Converts a stored role to its public shape. The permissions of an administrator role are not stored. */
export function toRole(rules: AccessRules, row: RoleRow): Role {
  const hasFullAccess = isAdministratorRole(rules, row.code)
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    description: row.description,
    isActive: row.is_active,
    isProtected: hasFullAccess,
    hasFullAccess,
    permissions: [...(hasFullAccess ? rules.permissions : normalizePermissions(row.permissions))],
    assignedUserCount: row.assigned_user_count,
    createdAtUtc: toInstant(row.created_at),
    updatedAtUtc: toInstant(row.updated_at),
  }
}
