import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import type { Role } from '../contract.ts'
import type { AccessRules } from '../policy.ts'
import { type RoleRow, roleColumns, toRole } from './find-role.ts'

/** Returns every role, sorted by code. People create roles by hand, so one answer can contain all roles. */
export async function listRoles(db: Db, rules: AccessRules): Promise<Role[]> {
  const rows = await db.execute<RoleRow>(sql`
    select ${roleColumns}
    from core_audit.roles r
    order by r.code`)
  return rows.map((row) => toRole(rules, row))
}
