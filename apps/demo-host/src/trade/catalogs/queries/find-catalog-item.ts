import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import type { CatalogItem } from '../contract.ts'

/** An item of a catalog. Text that is not a UUID names none, nor does the id of an item of another catalog. */
export async function findCatalogItem(
  db: Db,
  typeCode: string,
  id: string,
): Promise<CatalogItem | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<CatalogItemRow>(sql`
    select ${catalogItemColumns}
    from trade.catalog_items
    where id = ${id}::uuid and type_code = ${typeCode}`)
  return row === undefined ? undefined : toCatalogItem(row)
}

/** Whether there is such a item: what attaching content to it asks, without reading it. */
export async function catalogItemExists(db: Db, typeCode: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from trade.catalog_items where id = ${id}::uuid and type_code = ${typeCode}`)
  return rows.length > 0
}
