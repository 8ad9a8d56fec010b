import { fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import { catalogItemReference, type Fields } from './catalog-types.ts'

/** The properties of an item that a change can affect. */
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

/** Returns the audit event for a change. The event contains every field that changed. */
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
