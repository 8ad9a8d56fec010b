import { sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import { isInView } from '../inbox/in-view.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { TaskName } from './lock-tasks.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/** The final status of a task: a user did the work (`Completed`), or the work is no longer needed (`Cancelled`). */
export type ClosedStatus = 'Completed' | 'Cancelled'

/**
 * Completes or cancels active tasks in one statement, and returns the changes that users see. Ignores closed and unknown
 * tasks. After a claimed task is closed, only its claimer sees it, because the entries of all other recipients stay
 * hidden.
 */
export async function closeTasks(
  tx: Tx,
  status: ClosedStatus,
  names: readonly TaskName[],
): Promise<readonly SeenChange[]> {
  if (names.length === 0) return []
  const rows = await tx.execute<SeenRow>(
    planOnce(sql`
    with task as (
      update work_center.tasks t
      set status = ${status}, closed_at = clock_timestamp(), sort_at = clock_timestamp(), version = version + 1
      from unnest(
        ${sql.param(names.map(({ code }) => code))}::text[],
        ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
      ) n (code, deduplication_key)
      where t.code = n.code and t.deduplication_key = n.deduplication_key and t.closed_at is null
      returning t.id, t.sort_at
    ),
    changed as (
      update work_center.entries e
      set is_open = false, changes_at = null, sort_at = task.sort_at, arrived_in = pg_current_xact_id()
      from task
      where e.item_id = task.id
      returning e.user_id, e.role_id, e.view_permission, e.is_visible
    )
    ${bySeen(sql`select distinct e.user_id, e.view_permission from changed e where ${isInView}`)}`),
  )
  return changesOf(rows)
}
