import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Item } from '../contract.ts'
import { WorkCenterError } from '../errors.ts'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { findItem, type ItemName, isItemOf } from '../queries/find-item.ts'
import type { Viewer } from '../queries/viewer.ts'
import { raiseVersions } from './raise-versions.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** The input of a user's change to an item in their own Work Center. */
export interface OwnChange {
  readonly id: string
  readonly userId: string
  /** Reads the current rights of the user. Call it only after the rows to change are locked. */
  viewerNow(tx: Tx): Promise<Viewer>
}

/** The item as the user sees it after the change, and the versions to announce after the commit. */
export interface ChangedItem {
  readonly item: Item
  readonly versions: VersionChanges
}

/** An update of an entry with the alias `e`. */
interface EntryChange {
  readonly set: SQL
  /** The condition under which the update changes the entry. If it is false, no version is raised. */
  readonly when: SQL
}

/**
 * Changes the user's own entry of an item. Locks the entry before it checks the user's rights. When identical changes run
 * concurrently, only the first one raises the version.
 *
 * @throws {WorkCenterError} work_center.item_not_found
 */
export async function changeOwnEntry(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  { userId, kind, id, viewerNow }: OwnChange & ItemName,
  { set, when }: EntryChange,
): Promise<ChangedItem> {
  const [, viewer] = await Promise.all([lockEntry(tx, { userId, id }), viewerNow(tx)])
  const name = { kind, id }
  const [rows, item] = await Promise.all([
    tx.execute<SeenRow>(sql`
      update work_center.entries e
      set ${set}
      where ${isItemOf(viewer, name)} and ${when}
      returning e.user_id::text as user_ids, null::text as view_permission`),
    findItem(tx, viewer, name),
  ])
  if (item === undefined) throw new WorkCenterError('work_center.item_not_found')
  return { item, versions: await raiseVersions(tx, administratorRoleCodes, changesOf(rows)) }
}

const lockEntry = (tx: Tx, { userId, id }: { userId: string; id: string }) =>
  tx.execute(sql`
    select
    from work_center.entries
    where user_id = ${userId}::uuid and item_id = ${id}::uuid
    for update`)
