import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { catalogItemChanged } from '../audit.ts'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import { catalogItemReference, type Fields } from '../catalog-types.ts'
import type { CatalogItem } from '../contract.ts'
import { lockCatalogItem } from '../queries/lock-catalog-item.ts'

export interface ReplaceCatalogItem {
  readonly id: string
  readonly typeCode: string
  readonly name: string
  readonly fields: Fields
  readonly actor: Actor
  readonly authorize: Authorize
}

/**
 * Replaces an item's name and fields. The last of several concurrent replacements wins. Each replacement has its own event.
 * @throws {CatalogsError} catalogs.not_found; and errors of `authorize`
 */
export async function replaceCatalogItem(tx: Tx, input: ReplaceCatalogItem): Promise<CatalogItem> {
  const { id, typeCode, name, fields, actor, authorize } = input
  const before = await lockCatalogItem(tx, { typeCode, id, strength: 'no key update' })
  await authorize(tx, catalogItemReference(typeCode, id))
  const after = { name, fields }
  const event = catalogItemChanged({ actionCode: 'catalogs.updated', typeCode, id, actor, before, after })
  const [[row]] = await Promise.all([
    tx.execute<CatalogItemRow>(sql`
      update trade.catalog_items
      set name = ${name}, fields = ${JSON.stringify(fields)}::jsonb, updated_at = clock_timestamp()
      where id = ${id}::uuid
      returning ${catalogItemColumns}`),
    recordAudit(tx, event),
  ])
  if (row === undefined) throw new Error('The update of a locked catalog item returned no row')
  return toCatalogItem(row)
}
