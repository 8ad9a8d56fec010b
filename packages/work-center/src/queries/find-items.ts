import type { Db } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Item, ItemKind } from '../contract.ts'
import { entriesWithItems, type ItemRow, itemColumns, toItem } from './item-row.ts'
import { isSeenBy, type Viewer } from './viewer.ts'

/** Identifies one item by kind and id. The id of a task never identifies a notification. */
export interface ItemName {
  readonly kind: ItemKind
  readonly id: string
}

/** Returns the name as one text, for maps and for comparisons in SQL. */
export const nameOf = ({ kind, id }: ItemName): string => `${kind}/${id}`

/**
 * Returns the condition that `e` is the viewer's entry of one of the items, is visible to the viewer, and has not expired. The
 * index `entries_pkey` serves it.
 */
export function isItemOf(viewer: Viewer, names: readonly ItemName[]): SQL {
  return sql`${isSeenBy(viewer)}
      and e.item_id = any(${sql.param(names.map(({ id }) => id))}::uuid[])
      and e.kind || '/' || e.item_id = any(${sql.param(names.map(nameOf))}::text[])
      and (e.expires_at is null or e.expires_at > statement_timestamp())`
}

/** Returns the items that the viewer sees, by {@link nameOf}. Uses the index `entries_pkey`. */
export async function findItems(
  db: Db,
  viewer: Viewer,
  names: readonly ItemName[],
): Promise<ReadonlyMap<string, Item>> {
  const rows = await db.execute<ItemRow>(
    sql`select ${itemColumns} ${entriesWithItems} where ${isItemOf(viewer, names)}`,
  )
  return new Map(rows.map(toItem).map((item) => [nameOf(item), item]))
}
