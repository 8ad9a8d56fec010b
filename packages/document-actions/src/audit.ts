import { type FieldChange, fieldChanges, type NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { RegisteredType } from './actions/registry.ts'
import type { DocumentState } from './documents/document-store.ts'

/** The name events of this package are filed under. */
export const auditModule = 'document-actions'

/** An execution, as its events tell it. */
export interface ExecutionEvent {
  readonly type: RegisteredType
  readonly actionCode: string
  readonly executionId: string
  readonly before: DocumentState
  readonly after: DocumentState
  readonly reason: string | null
  readonly actor: Actor
  /** The handler's own. */
  readonly changes: readonly FieldChange[]
  readonly created: DocumentState | null
}

/** The action's code, with what changed, why, and what came out of it. */
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
