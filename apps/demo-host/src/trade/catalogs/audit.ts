import type { Actor, NewAuditEvent } from '@vertical-kit/core-audit'
import { type Fields, fieldChanges } from '../field-changes.ts'
import { catalogItemReference } from './catalog-types.ts'

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
  const oldName = before?.name ?? null
  const newName = after?.name ?? null
  return {
    module: 'trade',
    target: catalogItemReference(change.typeCode, change.id),
    actionCode: change.actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    changes: [
      ...(oldName === newName ? [] : [{ fieldPath: 'name', oldValue: oldName, newValue: newName }]),
      ...fieldChanges(before?.fields ?? null, after?.fields ?? null),
    ],
  }
}
