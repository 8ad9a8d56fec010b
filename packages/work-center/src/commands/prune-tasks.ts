import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { isInView } from '../inbox/in-view.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { afterSubstitutions, substitutionsShared } from './claims-lock.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/** The tasks that one batch deleted. */
export interface PrunedTasks {
  readonly taskCount: number
  /** The changes that users see because a task disappears from their list of completed tasks. */
  readonly changes: readonly SeenChange[]
}

/**
 * Deletes up to `batchSize` tasks with all their entries, oldest first, after the retention that follows their completion
 * or cancellation. Uses the index `tasks_closed`. Skips locked rows.
 */
export async function pruneTasks(
  tx: Tx,
  { retentionMs, batchSize }: { readonly retentionMs: number; readonly batchSize: number },
): Promise<PrunedTasks> {
  const [row] = await tx.execute<{ task_count: number; seen: readonly SeenRow[] }>(sql`
    with ${substitutionsShared},
    old as (
      select id
      from work_center.tasks
      where ${afterSubstitutions}
        and closed_at < statement_timestamp() - make_interval(secs => ${retentionMs}::float8 / 1000)
      order by closed_at
      limit ${batchSize}::int
      for update skip locked
    ),
    gone as (
      delete from work_center.entries e
      using old
      where e.item_id = old.id
      returning e.user_id, e.role_id, e.view_permission, e.is_visible
    ),
    pruned as (
      delete from work_center.tasks t using old where t.id = old.id
    )
    select (select count(*)::int from old) as task_count,
      (
        select coalesce(jsonb_agg(to_jsonb(change)), '[]')
        from (${bySeen(sql`select distinct e.user_id, e.view_permission from gone e where ${isInView}`)}) change
      ) as seen`)
  if (row === undefined) throw new Error('Pruning tasks returned no row')
  return { taskCount: row.task_count, changes: changesOf(row.seen) }
}
