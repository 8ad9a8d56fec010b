import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Item } from '../contract.ts'
import { WorkCenterError } from '../errors.ts'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { findItem, type ItemName, isItemOf } from '../queries/find-item.ts'
import type { Viewer } from '../queries/viewer.ts'
import { raiseVersions } from './raise-versions.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** What a user does to an item in their Work Center. */
export interface OwnChange {
  readonly id: string
  readonly userId: string
  /** The user with their rights as of now: asked once what is to be changed is locked. */
  viewerNow(tx: Tx): Promise<Viewer>
}

/** What came of it: the item as its user sees it now, and what to announce after the commit. */
export interface ChangedItem {
  readonly item: Item
  readonly versions: VersionChanges
}

/** A change of an entry, as `e`. */
interface EntryChange {
  readonly set: SQL
  /** Whether it changes anything: what does not raises no version. */
  readonly when: SQL
}

/**
 * Changes the user's own entry of an item. The entry is locked before rights are looked at, and of changes at once that
 * come to the same one counts.
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
      returning e.user_id, null as view_permission`),
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
