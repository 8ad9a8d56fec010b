import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { creationOf, RepeatedCreation } from '../../creation.ts'
import { catalogItemChanged } from '../audit.ts'
import { type CatalogItemRow, catalogItemColumns, toCatalogItem } from '../catalog-item-row.ts'
import { catalogItemReference, type Fields } from '../catalog-types.ts'
import type { CatalogItem } from '../contract.ts'

export interface CreateCatalogItem {
  /** A UUIDv7. Lists sort by id, and these ids sort by creation time. */
  readonly id: string
  readonly typeCode: string
  readonly name: string
  readonly fields: Fields
  readonly actor: Actor
  readonly authorize: Authorize
  /** The key of the client, for a creation that it can repeat. */
  readonly creationKey?: string | undefined
}

/**
 * Creates a catalog item and its audit event. With a creation key, the insert can wait for another request, so `authorize` runs
 * after it.
 *
 * @throws {RepeatedCreation} if a request of the actor with the creation key has created an item; and errors of `authorize`
 */
export async function createCatalogItem(tx: Tx, input: CreateCatalogItem): Promise<CatalogItem> {
  const { id, typeCode, name, fields, actor, authorize, creationKey } = input
  const creation = creationOf({ actor, typeCode, creationKey, content: { name, fields } })
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
      insert into trade.catalog_items (id, type_code, name, fields, creation_key, creation_fingerprint)
      values (
        ${id}::uuid, ${typeCode}, ${name}, ${JSON.stringify(fields)}::jsonb,
        ${creation?.key ?? null}::uuid, ${creation?.fingerprint ?? null}
      )
      on conflict (creation_key) where creation_key is not null do nothing
      returning ${catalogItemColumns}`),
    recordAudit(tx, event),
    creation && authorize(tx, catalogItemReference(typeCode, id)),
  ])
  if (row !== undefined) return toCatalogItem(row)
  if (creation === null) throw new Error('The insert of a catalog item returned no row')
  throw new RepeatedCreation(creation)
}
