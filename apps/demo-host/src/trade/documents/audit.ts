import { fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import { type Actor, type Caller, holds } from '@vertical-kit/core-audit/access'
import type { DocumentState, Fields } from '@vertical-kit/document-actions'
import { permissionOf } from '../permissions.ts'
import { type DocumentType, documentReference } from './document-types.ts'

interface DocumentChange {
  readonly actionCode: 'documents.created' | 'documents.updated' | 'documents.deleted'
  readonly type: DocumentType
  readonly id: string
  readonly number: string
  /** The version after the change. For a deletion, it is the last version. */
  readonly version: number
  readonly actor: Actor
  readonly before: Fields | null
  readonly after: Fields | null
  /** The source document, if an action created this document from it. */
  readonly source?: DocumentState
}

/** Returns the audit event for a change. The event contains every field that changed. */
export function documentChanged(change: DocumentChange): NewAuditEvent {
  const { type, number, version, actor, source } = change
  return {
    module: 'trade',
    target: documentReference(type, change.id),
    actionCode: change.actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: {
      number,
      version,
      ...(source && { source: { id: source.id, typeCode: source.typeCode, number: source.number } }),
    },
    changes: fieldChanges(change.before, change.after, 'fields.'),
  }
}

/** Removes the number of the source document from the metadata of an event, unless the caller may view documents of its type. */
export function knownMetadata(
  caller: Caller,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const source = metadata['source'] as { readonly id: string; readonly typeCode: string } | undefined
  if (source === undefined) return metadata
  const { id, typeCode } = source
  const isKnown = holds(caller, permissionOf('document', typeCode, 'view'))
  return isKnown ? metadata : { ...metadata, source: { id, typeCode } }
}
