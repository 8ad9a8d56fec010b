import { sql } from '@vertical-kit/core-audit'
import { type Db, searchPattern } from '@vertical-kit/core-audit/database'
import type { TaskHolders } from '../contract.ts'
import { canViewTask } from './list-team-tasks.ts'
import type { Viewer } from './viewer.ts'

/** A longer list would not help anybody to choose: supervisors search for a name. */
const usersMax = 100

/**
 * Lists the users whose name contains `q` and who have an open task with a source that the supervisor may view, sorted by name.
 * A user has the tasks that they have claimed, and those that are assigned to them, like in the team's list of one user. The
 * indexes `tasks_claimed` and `tasks_assigned` serve the search and the count.
 *
 * @param q a part of the name in any case; an empty text matches every name
 */
export async function listTaskHolders(
  db: Db,
  { viewer, q }: { readonly viewer: Viewer; readonly q: string },
): Promise<TaskHolders> {
  const columns = sql`t.resource_kind, t.resource_code from work_center.tasks t`
  const held = sql`
        from (
          select ${columns} where t.claimed_by_user_id = u.id and t.closed_at is null
          union all
          select ${columns} where t.assigned_user_id = u.id and t.closed_at is null
        ) t
        where ${canViewTask(viewer)}`
  const rows = await db.execute<{ id: string; display_name: string; task_count: number }>(sql`
    select u.id, u.display_name, (select count(*)::int ${held}) as task_count
    from (
      select u.id, u.display_name
      from core_audit.user_names u
      where u.display_name ~ ${searchPattern(q)} and exists (select ${held})
      order by u.display_name, u.id
      limit ${usersMax}
    ) u
    order by u.display_name, u.id`)
  return {
    users: rows.map((row) => ({ userId: row.id, displayName: row.display_name, taskCount: row.task_count })),
  }
}
