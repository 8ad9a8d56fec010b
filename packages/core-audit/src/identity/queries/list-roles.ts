import { sql } from 'drizzle-orm/sql'
import type { Db } from '../../database/database.ts'
import type { Role } from '../contract.ts'
import type { AccessRules } from '../policy.ts'
import { type RoleRow, roleColumns, toRole } from './find-role.ts'

/** Every role, by code: people make them, so there are few enough for one answer. */
export async function listRoles(db: Db, rules: AccessRules): Promise<Role[]> {
  const rows = await db.execute<RoleRow>(sql`
    select ${roleColumns}
    from core_audit.roles r
    order by r.code`)
  return rows.map((row) => toRole(rules, row))
}
