import { type SQL, sql } from '@vertical-kit/core-audit'
import { StorableText } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import { hasWords, type KeyedRow, maxCount, planPage, type SortKey } from '../../list-query.ts'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import type { CatalogItemPage } from '../contract.ts'

export interface ListCatalogItems {
  readonly typeCode: string
  readonly limit: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  readonly q?: string | undefined
  readonly ids?: readonly string[] | undefined
  readonly sort?: string | undefined
  readonly counts?: 'true' | undefined
}

const sortKeys: Readonly<Record<string, SortKey>> = {
  name: { expression: sql`name`, sqlType: sql`text`, schema: StorableText },
}

/**
 * Returns one page of a catalog. Scans a range of the index `catalog_items_by_type` or `catalog_items_by_name` from the
 * cursor. A search reads all items that it finds in `catalog_items_by_their_words`.
 *
 * @throws {CoreError} request.invalid for a cursor of another list
 */
export async function listCatalogItems(db: Db, query: ListCatalogItems): Promise<CatalogItemPage> {
  const { typeCode, limit, cursor, q, ids = null, sort } = query
  const list = JSON.stringify(['catalogs', typeCode, q ?? null, ids])
  const { key, after, orderBy, cursorAfter } = planPage({ list, sort, cursor }, sortKeys)
  const found = q === undefined ? sql`` : sql`and ${hasWords(sql`trade.catalog_item_words(name, fields)`, q)}`
  const [rows, total] = await Promise.all([
    db.execute<CatalogItemRow & KeyedRow>(sql`
      select ${catalogItemColumns}, ${key} as order_key
      from trade.catalog_items
      where type_code = ${typeCode}
        ${found}
        ${ids === null ? sql`` : sql`and id = any(${sql.param(ids)}::uuid[])`}
        ${after}
      order by ${orderBy}
      limit ${limit + 1}`),
    query.counts === undefined ? null : countItems(db, typeCode, found),
  ])
  const { items, last } = takePage(rows, limit)
  return {
    items: items.map(toCatalogItem),
    nextCursor: last === null ? null : cursorAfter(last),
    ...(total !== null && { counts: { total } }),
  }
}

/** Counts the items that a search finds, up to the limit. */
async function countItems(db: Db, typeCode: string, found: SQL): Promise<number> {
  const [row] = await db.execute<{ total: number }>(sql`
    select count(*)::int as total
    from (
      select
      from trade.catalog_items
      where type_code = ${typeCode} ${found}
      limit ${maxCount}
    ) counted`)
  return row?.total ?? 0
}
