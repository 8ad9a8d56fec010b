import type { RoleName } from '../../access/caller.ts'
import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** Returns the active roles that grant all of these permissions, and the active administrator roles, sorted by code. */
export async function listRolesHolding(
  db: Db,
  administratorRoleCodes: ReadonlySet<string>,
  permissions: readonly string[],
): Promise<readonly RoleName[]> {
  const rows = await db.execute<{ code: string; name: string }>(sql`
    select code, name
    from core_audit.roles
    where is_active
      and (
        permissions @> ${sql.param(permissions)}::text[]
        or is_code_trusted and code = any(${sql.param([...administratorRoleCodes])}::text[])
      )
    order by code`)
  return rows.map(({ code, name }) => ({ code, name }))
}
