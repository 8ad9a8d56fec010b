import type { Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import type { TaskDefinition } from '../definitions/definition.ts'
import { isInView } from '../inbox/in-view.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** A task that is over. */
export interface CloseTask {
  readonly deduplicationKey: string
  /** Completed when what it asked for was done, by whomever; cancelled when nobody asks for it any more. */
  readonly status: 'Completed' | 'Cancelled'
}

/**
 * Completes or cancels an active task, and returns who sees the difference. One that is over already, or that there never
 * was, stays as it is. Entries that a claim has hidden stay hidden: done is what its claimer did.
 */
export async function closeTask(
  tx: Tx,
  { code }: TaskDefinition,
  { deduplicationKey, status }: CloseTask,
): Promise<readonly SeenChange[]> {
  const rows = await tx.execute<SeenRow>(sql`
    with task as (
      update work_center.tasks
      set status = ${status}, closed_at = clock_timestamp(), sort_at = clock_timestamp(), version = version + 1
      where code = ${code} and deduplication_key = ${deduplicationKey} and closed_at is null
      returning id, sort_at
    ),
    changed as (
      update work_center.entries e
      set is_open = false, changes_at = null, sort_at = task.sort_at
      from task
      where e.item_id = task.id
      returning e.user_id, e.role_id, e.view_permission, e.is_visible
    )
    select e.user_id, e.view_permission from changed e where ${isInView}`)
  return changesOf(rows)
}
