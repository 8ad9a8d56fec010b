import { type Db, searchPattern } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { TaskHolders } from '../contract.ts'
import { isViewable, tabConditions, type Viewer } from './viewer.ts'

/** A longer list would not help anybody to choose: supervisors search for a name. */
const usersMax = 100

/**
 * Lists the users whose name contains `q` and who have an open task with a source that the supervisor may view, sorted by name.
 * A user has the tasks that they have claimed, and those that are assigned to them and not to a role: no other user can handle
 * these tasks. The index `entries_open_by_kind` serves the search and the count.
 *
 * @param q a part of the name in any case; an empty text matches every name
 */
export async function listTaskHolders(
  db: Db,
  { viewer, q }: { readonly viewer: Viewer; readonly q: string },
): Promise<TaskHolders> {
  const held = sql`
        from work_center.entries e
        where e.user_id = u.id and ${tabConditions.tasks} and e.is_visible and e.role_id is null and ${isViewable(viewer)}`
  const rows = await db.execute<{ id: string; display_name: string; task_count: number }>(sql`
    select u.id, u.display_name, (select count(*)::int ${held}) as task_count
    from (
      select u.id, u.display_name
      from core_audit.user_names u
      where u.display_name ~ ${searchPattern(q)} and exists (select ${held} offset 0)
      order by u.display_name, u.id
      limit ${usersMax}
    ) u
    order by u.display_name, u.id`)
  return {
    users: rows.map((row) => ({ userId: row.id, displayName: row.display_name, taskCount: row.task_count })),
  }
}
