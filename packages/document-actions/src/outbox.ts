import type { NewOutboxEvent } from '@vertical-kit/core-audit/outbox'
import type { ExecutionEvent } from './audit.ts'

/** The type of the event every execution writes. */
export const actionCompletedType = 'document.action.completed'

/** `document.action.completed`: what other modules hear of an execution, from the transaction it happened in. */
export function actionCompleted(event: ExecutionEvent): NewOutboxEvent {
  const { before, after, actor } = event
  return {
    type: actionCompletedType,
    source: '@vertical-kit/document-actions',
    subject: `document/${before.typeCode}/${before.id}`,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    causationId: event.executionId,
    schemaVersion: 1,
    data: {
      documentId: before.id,
      documentType: before.typeCode,
      actionCode: event.actionCode,
      previousStatus: before.status,
      currentStatus: after.status,
      documentVersion: after.version,
    },
  }
}
