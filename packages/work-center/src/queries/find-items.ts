import { type SQL, sql } from '@vertical-kit/core-audit'
import { type Db, planOnce } from '@vertical-kit/core-audit/database'
import type { Item, ItemKind } from '../contract.ts'
import { type ItemRow, toItem } from './item-row.ts'
import { type OwnRow, ownItems, selectOwnItems, selectSeenItems } from './represented.ts'
import type { Viewer } from './viewer.ts'

/** Identifies one item by kind and id. The id of a task never identifies a notification. */
export interface ItemName {
  readonly kind: ItemKind
  readonly id: string
}

/** Returns the name as one text, for maps and for comparisons in SQL. */
export const nameOf = ({ kind, id }: ItemName): string => `${kind}/${id}`

/**
 * Returns the condition that `e` is an entry of one of the items, and that the item has not expired. The index `entries_pkey`
 * serves it.
 */
export const isEntryOf = (names: readonly ItemName[]): SQL => sql`
      e.item_id = any(${sql.param(names.map(({ id }) => id))}::uuid[])
      and e.kind || '/' || e.item_id = any(${sql.param(names.map(nameOf))}::text[])
      and (e.expires_at is null or e.expires_at > statement_timestamp())`

/**
 * Returns the items that the viewer sees, by {@link nameOf}. Uses the index `entries_pkey`. A second statement reads items that
 * are missing, if the viewer substitutes another user.
 */
export async function findItems(
  db: Db,
  viewer: Viewer,
  names: readonly ItemName[],
): Promise<ReadonlyMap<string, Item>> {
  const selection = { where: isEntryOf(names) }
  const own = await db.execute<OwnRow<ItemRow>>(planOnce(selectOwnItems(viewer, selection)))
  const found = ownItems(own)
  const rows =
    own[0]?.is_substitute && found.length < names.length
      ? await db.execute<ItemRow>(selectSeenItems(viewer, selection))
      : found
  return new Map(rows.map(toItem).map((item) => [nameOf(item), item]))
}
