import type { Db } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Item, ItemKind } from '../contract.ts'
import { type ItemRow, selectItem, toItem } from './item-row.ts'
import { isSeenBy, type Viewer } from './viewer.ts'

/** Identifies one item by kind and id. The id of a task never identifies a notification. */
export interface ItemName {
  readonly kind: ItemKind
  readonly id: string
}

/** Returns the condition that `e` is the viewer's entry of the item, is visible to the viewer, and has not expired. */
export function isItemOf(viewer: Viewer, { kind, id }: ItemName): SQL {
  return sql`${isSeenBy(viewer)}
      and e.item_id = ${id}::uuid
      and e.kind = ${kind}
      and (e.expires_at is null or e.expires_at > statement_timestamp())`
}

/** Returns an item as the viewer sees it, or `undefined` if they cannot see it. Uses the index `entries_pkey`. */
export async function findItem(db: Db, viewer: Viewer, name: ItemName): Promise<Item | undefined> {
  const [row] = await db.execute<ItemRow>(sql`${selectItem} where ${isItemOf(viewer, name)}`)
  return row === undefined ? undefined : toItem(row)
}
