import type { Actor, NewAuditEvent } from '@vertical-kit/core-audit'
import { type Fields, fieldChanges } from '../field-changes.ts'
import { type DocumentType, documentReference } from './document-types.ts'

interface DocumentChange {
  readonly actionCode: 'documents.created' | 'documents.updated' | 'documents.deleted'
  readonly type: DocumentType
  readonly id: string
  readonly number: string
  /** The version the change leads to; for a deletion, the last one there was. */
  readonly version: number
  readonly actor: Actor
  readonly before: Fields | null
  readonly after: Fields | null
}

/** The event of a change, with every field that differs. */
export function documentChanged(change: DocumentChange): NewAuditEvent {
  const { type, number, version, actor } = change
  return {
    module: 'trade',
    target: documentReference(type, change.id),
    actionCode: change.actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: { number, version },
    changes: fieldChanges(change.before, change.after),
  }
}
