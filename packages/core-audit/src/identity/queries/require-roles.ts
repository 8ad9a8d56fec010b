import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import type { AssignedRole } from './lock-user.ts'

/**
 * Returns the roles with these ids, sorted by code and without duplicates. The statement uses `roles_pkey`.
 * @throws {CoreError} request.invalid naming each id of `roleIds` that is not a role
 */
export async function requireRoles(db: Db, ids: readonly string[]): Promise<readonly AssignedRole[]> {
  const roles = await db.execute<AssignedRole>(sql`
    select id, code
    from core_audit.roles
    where id = any(${sql.param(ids)}::uuid[])
    order by code`)
  const known = new Set(roles.map((role) => role.id))
  const errors = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `roleIds.${index}`, message: 'is not a role' }],
  )
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  return [...roles]
}
