import { recordAudit } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { catalogItemChanged } from '../audit.ts'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import type { Fields } from '../catalog-types.ts'
import type { CatalogItem } from '../contract.ts'

export interface CreateCatalogItem {
  /** A UUIDv7. Lists sort by id, and these ids sort by creation time. */
  readonly id: string
  readonly typeCode: string
  readonly name: string
  readonly fields: Fields
  readonly actor: Actor
}

/** Creates a catalog item and its audit event. */
export async function createCatalogItem(tx: Tx, input: CreateCatalogItem): Promise<CatalogItem> {
  const { id, typeCode, name, fields, actor } = input
  const event = catalogItemChanged({
    actionCode: 'catalogs.created',
    typeCode,
    id,
    actor,
    before: null,
    after: { name, fields },
  })
  const [[row]] = await Promise.all([
    tx.execute<CatalogItemRow>(sql`
      insert into trade.catalog_items (id, type_code, name, fields)
      values (${id}::uuid, ${typeCode}, ${name}, ${JSON.stringify(fields)}::jsonb)
      returning ${catalogItemColumns}`),
    recordAudit(tx, event),
  ])
  if (row === undefined) throw new Error('The insert of a catalog item returned no row')
  return toCatalogItem(row)
}
