import { type SQL, sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import { receivedEntries } from '../queries/acting-for.ts'
import { withRepresented } from '../queries/represented.ts'
import { afterSubstitutions, substitutionsShared } from './claims-lock.ts'

/** An entry: a user and an item. */
export interface EntryName {
  readonly userId: string
  readonly id: string
}

type Row = { user_id: string; item_id: string }

/**
 * Locks one entry of each item until the transaction ends, and returns them: the user's own, or that of a user that they
 * substitute. Several entries are locked like in {@link lockEntries}. A single entry needs no lock of its task.
 */
export async function lockActingEntries(
  tx: Tx,
  { userId, ids }: { readonly userId: string; readonly ids: readonly string[] },
): Promise<readonly EntryName[]> {
  const isSingle = ids.length === 1
  const rows = await tx.execute<Row>(
    planOnce(sql`
    ${withRepresented({ userId })},
    ${substitutionsShared},
    chosen as materialized (${receivedEntries(userId, ids, sql`true`)})
    ${isSingle ? sql`` : sql`, task as materialized (${lockedTasks(sql`chosen`)})`}
    select e.user_id, e.item_id
    from work_center.entries e
    where ${afterSubstitutions}
      and (e.user_id, e.item_id) in (select user_id, item_id from chosen)
      ${isSingle ? sql`` : sql`and (select count(*) from task) >= 0`}
    order by e.item_id
    for update of e`),
  )
  return rows.map((row) => ({ userId: row.user_id, id: row.item_id }))
}

/** Locks the tasks of items in the order of {@link byName}, against their writers only. Requires {@link substitutionsShared}. */
const lockedTasks = (items: SQL): SQL => sql`
      select t.id
      from work_center.tasks t
      join ${items} w on w.item_id = t.id
      where ${afterSubstitutions}
      order by t.code collate "C", t.deduplication_key collate "C"
      for key share of t`

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
    with ${substitutionsShared},
    wanted as materialized (${wanted}),
    task as materialized (${lockedTasks(sql`wanted`)})
    select e.item_id
    from work_center.entries e
    where ${afterSubstitutions}
      and e.user_id = ${userId}::uuid
      and e.item_id in (select item_id from wanted)
      and (select count(*) from task) >= 0
    order by e.item_id
    for update of e`)
  return rows.map(({ item_id }) => item_id)
}
