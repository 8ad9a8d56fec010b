import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'

/** Locks the user's entry of one item until the transaction ends. */
export const lockEntry = (tx: Tx, { userId, id }: { readonly userId: string; readonly id: string }) =>
  tx.execute(sql`
    select
    from work_center.entries
    where user_id = ${userId}::uuid and item_id = ${id}::uuid
    for update`)

/**
 * Locks several entries of a user until the transaction ends, and returns the ids of their items. All other writers of several
 * entries lock the tasks first, in the order of {@link byName}. This statement does the same, and so it cannot deadlock with them:
 * `for key share` waits for writers of a task, but not for other users that read it.
 *
 * @param wanted selects `item_id` of entries of this user
 */
export async function lockEntries(
  tx: Tx,
  { userId, wanted }: { readonly userId: string; readonly wanted: SQL },
): Promise<readonly string[]> {
  const rows = await tx.execute<{ item_id: string }>(sql`
    with wanted as materialized (${wanted}),
    task as materialized (
      select t.id
      from work_center.tasks t
      join wanted w on w.item_id = t.id
      order by t.code collate "C", t.deduplication_key collate "C"
      for key share of t
    )
    select e.item_id
    from work_center.entries e
    where e.user_id = ${userId}::uuid
      and e.item_id in (select item_id from wanted)
      and (select count(*) from task) >= 0
    order by e.item_id
    for update of e`)
  return rows.map(({ item_id }) => item_id)
}
