import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import { concernedIds } from '../commands/concerned-ids.ts'
import { bySeen, changesOf, type SeenRow } from '../commands/seen-row.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { isInForce } from './represented.ts'

/**
 * Returns a change for each affected user with an open or completed item, for each one that substitutes another user, and for their
 * substitutes. The affected users are the given users, and all users with one of the given roles, even if the role is switched
 * off. The earlier view of these users is unknown, so all of them are notified.
 *
 * The conditions are those of the indexes `entries_open_by_kind` and `entries_completed`, so that one lookup answers each of them.
 * Users also have entries of tasks that others have claimed, tens of thousands in half a year.
 */
export async function listConcerned(
  db: Db,
  accessChanges: readonly AccessChangedData[],
): Promise<readonly SeenChange[]> {
  if (accessChanges.length === 0) return []
  const { userIds, roleIds } = concernedIds(accessChanges)
  const rows = await db.execute<SeenRow>(
    bySeen(sql`
      select distinct v.user_id, null::text as view_permission
      from (
        select unnest(${sql.param(userIds)}::uuid[])
        union
        select a.user_id from core_audit.role_assignments a where a.role_id = any(${sql.param(roleIds)}::uuid[])
      ) u (id)
      cross join lateral (
        select u.id
        union all
        select s.substitute_user_id from work_center.substitutions s where s.user_id = u.id and ${isInForce}
      ) v (user_id)
      where exists (select from work_center.entries e where e.user_id = u.id and e.is_open and e.is_visible)
        or exists (
          select from work_center.entries e where e.user_id = u.id and e.kind = 'Task' and not e.is_open and e.is_visible
        )
        or exists (select from work_center.substitutions s where s.substitute_user_id = u.id and ${isInForce})`),
  )
  return changesOf(rows)
}
