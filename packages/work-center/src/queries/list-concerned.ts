import type { AccessChangedData, Db } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { changesOf, type SeenRow } from '../commands/seen-row.ts'
import type { SeenChange } from '../inbox/version-changes.ts'

/**
 * Who may see something else now that access has changed: the user, or everybody who has the role, counting or not; of them
 * those with anything in their Work Center. What they saw before is not known here, so all of them are told.
 */
export async function listConcerned(db: Db, whose: AccessChangedData): Promise<readonly SeenChange[]> {
  const users =
    'userId' in whose
      ? sql`select ${whose.userId}::uuid`
      : sql`select a.user_id from core_audit.role_assignments a where a.role_id = ${whose.roleId}::uuid`
  const rows = await db.execute<SeenRow>(sql`
    select u.id as user_id, null as view_permission
    from (${users}) u (id)
    where exists (select from work_center.entries e where e.user_id = u.id and e.is_visible)`)
  return changesOf(rows)
}
