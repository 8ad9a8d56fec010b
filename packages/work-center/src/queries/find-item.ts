import type { Db } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Item, ItemKind } from '../contract.ts'
import { type ItemRow, selectItem, toItem } from './item-row.ts'
import { isSeenBy, type Viewer } from './viewer.ts'

/** Names one item. Ids of tasks and of notifications are not each other's. */
export interface ItemName {
  readonly kind: ItemKind
  readonly id: string
}

/** The condition that an entry, as `e`, is the viewer's of that item. What has expired is gone. */
export function isItemOf(viewer: Viewer, { kind, id }: ItemName): SQL {
  return sql`${isSeenBy(viewer)}
      and e.item_id = ${id}::uuid
      and e.kind = ${kind}
      and (e.expires_at is null or e.expires_at > statement_timestamp())`
}

/** An item as the viewer sees it; `undefined` when they do not. Served by `entries_pkey`. */
export async function findItem(db: Db, viewer: Viewer, name: ItemName): Promise<Item | undefined> {
  const [row] = await db.execute<ItemRow>(sql`${selectItem} where ${isItemOf(viewer, name)}`)
  return row === undefined ? undefined : toItem(row)
}
