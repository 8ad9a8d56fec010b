import type { Actor } from '@vertical-kit/core-audit/access'
import { Id } from '@vertical-kit/core-audit/contract'
import type { EventDescriptor, NewOutboxEvent } from '@vertical-kit/core-audit/outbox'
import type { DocumentReference } from '@vertical-kit/document-actions'
import * as v from 'valibot'

/** The data of the event: the source document, and the deleted document that an action had created from it. */
const DerivedDeletedData = v.object({
  documentId: Id,
  documentType: v.string(),
  derivedId: Id,
  derivedType: v.string(),
})

/** The outbox event of a deleted draft that an action had created. `subject` is the source, `document/<type>/<id>`. */
export const derivedDeleted = {
  type: 'trade.derived_document.deleted',
  schema: DerivedDeletedData,
} satisfies EventDescriptor

/** Creates the event. */
export function derivedDeletionOf(
  source: DocumentReference,
  derived: DocumentReference,
  actor: Actor,
): NewOutboxEvent {
  const data: v.InferOutput<typeof DerivedDeletedData> = {
    documentId: source.id,
    documentType: source.typeCode,
    derivedId: derived.id,
    derivedType: derived.typeCode,
  }
  return {
    type: derivedDeleted.type,
    source: 'trade',
    subject: `document/${source.typeCode}/${source.id}`,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    causationId: null,
    schemaVersion: 1,
    data,
  }
}
