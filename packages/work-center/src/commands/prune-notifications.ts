import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'

/**
 * Deletes up to `batchSize` expired notifications with all their entries, oldest first, and returns the number of deleted
 * notifications. Users see no change: lists exclude expired notifications, and the statement deletes a notification only
 * after the clock has processed its expiry. Uses the index `notifications_by_expiry`. Skips locked notifications. Locks entries in
 * the order of their items, like `lockEntries`, because two statements with different orders can deadlock.
 */
export async function pruneNotifications(tx: Tx, batchSize: number): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    with expired as (
      select n.id
      from work_center.notifications n
      where n.expires_at <= statement_timestamp()
        and not exists (
          select from work_center.entries e where e.item_id = n.id and e.changes_at is not null
        )
      order by n.expires_at
      limit ${batchSize}::int
      for update skip locked
    ),
    entry as materialized (
      select e.user_id, e.item_id
      from work_center.entries e
      join expired on expired.id = e.item_id
      order by e.item_id
      for update of e
    ),
    gone as (
      delete from work_center.entries e using entry where e.user_id = entry.user_id and e.item_id = entry.item_id
    ),
    pruned as (
      delete from work_center.notifications n using expired where n.id = expired.id
    )
    select count(*)::int as count from expired`)
  return row?.count ?? 0
}
