import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import { sql } from 'drizzle-orm/sql'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import type { CatalogItemPage } from '../contract.ts'

export interface ListCatalogItems {
  readonly typeCode: string
  readonly limit: number
  /** The id of the last item on the previous page. */
  readonly cursor: string | undefined
}

/** Returns one page of a catalog, newest first. Scans the index `catalog_items_by_type` from the cursor. */
export async function listCatalogItems(db: Db, query: ListCatalogItems): Promise<CatalogItemPage> {
  const after = query.cursor === undefined ? sql`` : sql`and id < ${query.cursor}::uuid`
  const rows = await db.execute<CatalogItemRow>(sql`
    select ${catalogItemColumns}
    from trade.catalog_items
    where type_code = ${query.typeCode}
      ${after}
    order by id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return { items: items.map(toCatalogItem), nextCursor: last?.id ?? null }
}
