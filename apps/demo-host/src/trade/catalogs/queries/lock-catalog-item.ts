import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { type CatalogItemRow, catalogItemColumns } from '../catalog-item-row.ts'
import { CatalogsError } from '../errors.ts'

export interface LockCatalogItem {
  readonly typeCode: string
  readonly id: string
  /** With `no key update`, other transactions can still add references to the item. With `update`, they must wait. */
  readonly strength: 'update' | 'no key update'
}

/**
 * Locks an item until the transaction ends and returns its latest committed state.
 * @throws {CatalogsError} catalogs.not_found
 */
export async function lockCatalogItem(
  tx: Tx,
  { typeCode, id, strength }: LockCatalogItem,
): Promise<CatalogItemRow> {
  const [row] = await tx.execute<CatalogItemRow>(sql`
    select ${catalogItemColumns}
    from trade.catalog_items
    where id = ${id}::uuid and type_code = ${typeCode}
    ${strength === 'update' ? sql`for update` : sql`for no key update`}`)
  if (row === undefined) throw new CatalogsError('catalogs.not_found')
  return row
}
