import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { ItemKind } from '../contract.ts'
import { findItems, isItemOf, nameOf } from '../queries/find-items.ts'
import { type ChangeConfig, type ChangedItems, type ItemChange, notFound } from './change-items.ts'
import { lockEntries, lockEntry } from './lock-entries.ts'
import { raiseVersions } from './raise-versions.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/** An update of an entry with the alias `e`. */
interface EntryChange {
  /** The only kind of items that can have this change. Absent if both kinds can. */
  readonly kind?: ItemKind
  readonly set: SQL
  /** The condition under which the update changes the entry. If it is false, no version is raised. */
  readonly when: SQL
}

/**
 * Changes the user's own entries of items. Locks the entries before it checks the user's rights. When identical changes run
 * concurrently, only the first one raises the version. Runs the same number of statements for any number of items.
 */
export async function changeOwnEntries(
  tx: Tx,
  { administratorRoleCodes }: ChangeConfig,
  { items, viewer: { userId }, viewerNow }: ItemChange,
  { kind, set, when }: EntryChange,
): Promise<ChangedItems> {
  const names = items.filter((item) => kind === undefined || item.kind === kind)
  const [, viewer] = await Promise.all([
    lock(
      tx,
      userId,
      names.map(({ id }) => id),
    ),
    viewerNow(tx),
  ])
  const [rows, found] = await Promise.all([
    tx.execute<SeenRow>(sql`
      with changed as (
        update work_center.entries e
        set ${set}
        where ${isItemOf(viewer, names)} and ${when}
        returning e.user_id
      )
      ${bySeen(sql`select distinct user_id, null::text as view_permission from changed`)}`),
    findItems(tx, viewer, names),
  ])
  return {
    results: items.map((item) => found.get(nameOf(item)) ?? notFound()),
    versions: await raiseVersions(tx, administratorRoleCodes, changesOf(rows)),
  }
}

function lock(tx: Tx, userId: string, ids: readonly string[]) {
  const [id] = ids
  if (ids.length === 1 && id !== undefined) return lockEntry(tx, { userId, id })
  const wanted = sql`
    select e.item_id
    from work_center.entries e
    where e.user_id = ${userId}::uuid and e.item_id = any(${sql.param(ids)}::uuid[])`
  return lockEntries(tx, { userId, wanted })
}
