import { type FieldChange, fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import { type Actor, type Caller, holds } from '@vertical-kit/core-audit/access'
import { documentPermission, type RegisteredType } from './actions/registry.ts'
import type { DocumentState, StoredDocument } from './documents/document-store.ts'

/** The module name in the audit events of this package. */
export const auditModule = 'document-actions'

/** The data of an execution for its audit event and its outbox event. */
export interface ExecutionEvent {
  readonly type: RegisteredType
  readonly actionCode: string
  readonly executionId: string
  readonly before: DocumentState
  readonly after: StoredDocument
  readonly reason: string | null
  readonly actor: Actor
  /** The changes that the handler returned. */
  readonly changes: readonly FieldChange[]
  readonly created: StoredDocument | null
}

/** Returns the audit event of an execution: action code, changes, reason and created document. */
export function actionExecuted(event: ExecutionEvent): NewAuditEvent {
  const { type, before, after, created, executionId, reason, actor } = event
  return {
    module: auditModule,
    target: { kind: type.kind, typeCode: before.typeCode, id: before.id },
    actionCode: event.actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: {
      executionId,
      version: after.version,
      ...(reason === null ? {} : { reason }),
      ...(created === null ? {} : { createdDocument: referenceOf(created) }),
    },
    changes: [
      ...fieldChanges({ status: before.status }, { status: after.status }),
      ...fieldChanges(before.payload.fields, after.payload.fields, 'fields.'),
      ...event.changes,
    ],
  }
}

const referenceOf = ({ id, typeCode, number }: DocumentState) => ({ id, typeCode, number })

/**
 * Removes the number of a created document from the metadata of an event, unless the caller may view or create documents of its
 * type. Loads nothing, so it does not know whether the type hides this one document (`isVisibleTo`) or whether the document
 * still exists. The answer of a repeated request and the related documents check both.
 */
export function knownMetadata(
  caller: Caller,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const created = metadata['createdDocument'] as
    | { readonly id: string; readonly typeCode: string }
    | undefined
  if (created === undefined) return metadata
  const { id, typeCode } = created
  const isKnown = ['view', 'create'].some((action) => holds(caller, documentPermission(typeCode, action)))
  return isKnown ? metadata : { ...metadata, createdDocument: { id, typeCode } }
}
