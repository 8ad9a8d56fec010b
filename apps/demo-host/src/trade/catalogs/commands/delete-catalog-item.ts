import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { isReferenced } from '../../documents/queries/is-referenced.ts'
import { catalogItemChanged } from '../audit.ts'
import { catalogItemReference } from '../catalog-types.ts'
import { CatalogsError } from '../errors.ts'
import { lockCatalogItem } from '../queries/lock-catalog-item.ts'

export interface DeleteCatalogItem {
  readonly id: string
  readonly typeCode: string
  readonly actor: Actor
  readonly authorize: Authorize
}

/**
 * Deletes an item permanently. The check for references is a separate statement after the lock is acquired. Therefore it
 * detects references that other transactions committed while this transaction waited for the lock.
 *
 * @throws {CatalogsError} catalogs.not_found · catalogs.in_use; and errors of `authorize`
 */
export async function deleteCatalogItem(tx: Tx, input: DeleteCatalogItem): Promise<void> {
  const { id, typeCode, actor, authorize } = input
  const before = await lockCatalogItem(tx, { typeCode, id, strength: 'update' })
  await authorize(tx, catalogItemReference(typeCode, id))
  if (await isReferenced(tx, { typeCode, id })) throw new CatalogsError('catalogs.in_use')
  const event = catalogItemChanged({
    actionCode: 'catalogs.deleted',
    typeCode,
    id,
    actor,
    before,
    after: null,
  })
  await Promise.all([
    tx.execute(sql`delete from trade.catalog_items where id = ${id}::uuid`),
    recordAudit(tx, event),
  ])
}
