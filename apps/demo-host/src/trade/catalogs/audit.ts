import { fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import { catalogItemReference, type Fields } from './catalog-types.ts'

/** What of an item a change can touch. */
export interface CatalogItemState {
  readonly name: string
  readonly fields: Fields
}

interface CatalogItemChange {
  readonly actionCode: 'catalogs.created' | 'catalogs.updated' | 'catalogs.deleted'
  readonly typeCode: string
  readonly id: string
  readonly actor: Actor
  readonly before: CatalogItemState | null
  readonly after: CatalogItemState | null
}

/** The event of a change, with every field that differs. */
export function catalogItemChanged(change: CatalogItemChange): NewAuditEvent {
  const { before, after, actor } = change
  return {
    module: 'trade',
    target: catalogItemReference(change.typeCode, change.id),
    actionCode: change.actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    changes: [
      ...fieldChanges(before && { name: before.name }, after && { name: after.name }),
      ...fieldChanges(before?.fields ?? null, after?.fields ?? null, 'fields.'),
    ],
  }
}
