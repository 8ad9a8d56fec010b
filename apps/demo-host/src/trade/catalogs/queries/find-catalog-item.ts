import { sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { Creation } from '../../creation.ts'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import type { CatalogItem } from '../contract.ts'
import { CatalogsError } from '../errors.ts'

/** Returns a catalog item, or undefined if the id is malformed, unknown or belongs to an item of another catalog. */
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

/**
 * Loads the item of a creation that is repeated. Returns undefined if it has been deleted.
 * @throws {CatalogsError} catalogs.creation_conflict if it was created with other values
 */
export async function findCreatedItem(db: Db, creation: Creation): Promise<CatalogItem | undefined> {
  const [row] = await db.execute<CatalogItemRow & { creation_fingerprint: string | null }>(sql`
    select ${catalogItemColumns}, creation_fingerprint
    from trade.catalog_items
    where creation_key = ${creation.key}::uuid`)
  if (row === undefined) return undefined
  if (row.creation_fingerprint !== creation.fingerprint) throw new CatalogsError('catalogs.creation_conflict')
  return toCatalogItem(row)
}

/** Checks whether an item exists, without reading its fields. Content can be attached only to existing items. */
export async function catalogItemExists(db: Db, typeCode: string, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from trade.catalog_items where id = ${id}::uuid and type_code = ${typeCode}`)
  return rows.length > 0
}

/** Returns the items among these that exist, with their names, in one statement. */
export async function findCatalogItemNames(
  db: Db,
  references: readonly { readonly id: string }[],
): Promise<readonly { readonly id: string; readonly type_code: string; readonly display: string }[]> {
  return db.execute<{ id: string; type_code: string; display: string }>(sql`
    select id, type_code, name as display
    from trade.catalog_items
    where id = any(${sql.param(references.map(({ id }) => id))}::uuid[])`)
}
