import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { keptBy } from '../queries/entry-filters.ts'
import { entriesWithItems } from '../queries/item-row.ts'
import type { ItemList } from '../queries/list-items.ts'
import { hadArrived } from '../queries/read-through.ts'
import { isSeenBy, tabConditions, type Viewer } from '../queries/viewer.ts'
import type { ChangeConfig, ItemChange } from './change-items.ts'
import { lockEntries } from './lock-entries.ts'
import { raiseVersions } from './raise-versions.ts'
import { changesOf, type SeenRow, withActor } from './seen-row.ts'

export interface ReadAllItems extends Pick<ItemChange, 'viewer' | 'viewerNow'>, ItemList {
  /** The snapshot of a page of this list. */
  readonly snapshot: string
}

/**
 * Marks the unread items of a list as read. Items that arrived after the page stay unread. Locks the entries before it
 * checks the user's rights. Runs the same number of statements for any number of items.
 */
export async function readAllItems(
  tx: Tx,
  { administratorRoleCodes }: ChangeConfig,
  { viewer, viewerNow, tab, filters, snapshot }: ReadAllItems,
): Promise<{ readonly changedCount: number; readonly versions: VersionChanges }> {
  const isUnreadOfTab = (reader: Viewer) => sql`
    ${isSeenBy(reader)} and ${tabConditions[tab]} and e.read_at is null and ${hadArrived(snapshot)}`
  const wanted = sql`
    select e.item_id
    ${entriesWithItems}
    where ${isUnreadOfTab(viewer)} ${keptBy(filters)}`
  const [ids, now] = await Promise.all([lockEntries(tx, { userId: viewer.userId, wanted }), viewerNow(tx)])
  const rows = await tx.execute<SeenRow & { count: number }>(sql`
    with changed as (
      update work_center.entries e
      set read_at = clock_timestamp()
      where e.item_id = any(${sql.param(ids)}::uuid[]) and ${isUnreadOfTab(now)}
      returning e.view_permission, e.kind
    )
    select view_permission, kind = 'Notification' as is_private, ${viewer.userId}::text as user_ids,
      count(*)::int as count
    from changed
    group by view_permission, kind`)
  return {
    changedCount: rows.reduce((sum, { count }) => sum + count, 0),
    versions: await raiseVersions(tx, administratorRoleCodes, withActor(changesOf(rows), viewer.userId)),
  }
}
