import type { Db } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import { sql } from 'drizzle-orm/sql'
import { changesOf, type SeenRow } from '../commands/seen-row.ts'
import type { SeenChange } from '../inbox/version-changes.ts'

/**
 * Who may see something else now that access has changed: the users, and everybody who has one of the roles, counting or not;
 * of them those with anything in their Work Center. What they saw before is not known here, so all of them are told.
 */
export async function listConcerned(
  db: Db,
  whose: readonly AccessChangedData[],
): Promise<readonly SeenChange[]> {
  if (whose.length === 0) return []
  const userIds = whose.flatMap((change) => ('userId' in change ? [change.userId] : []))
  const roleIds = whose.flatMap((change) => ('roleId' in change ? [change.roleId] : []))
  const rows = await db.execute<SeenRow>(sql`
    select u.id as user_id, null as view_permission
    from (
      select unnest(${sql.param(userIds)}::uuid[])
      union
      select a.user_id from core_audit.role_assignments a where a.role_id = any(${sql.param(roleIds)}::uuid[])
    ) u (id)
    where exists (select from work_center.entries e where e.user_id = u.id and e.is_visible)`)
  return changesOf(rows)
}
