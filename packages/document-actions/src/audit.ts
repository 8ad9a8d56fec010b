import { type FieldChange, fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { RegisteredType } from './actions/registry.ts'
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
