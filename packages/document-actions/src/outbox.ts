import { Id } from '@vertical-kit/core-audit/contract'
import type { EventDescriptor, NewOutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import type { ExecutionEvent } from './audit.ts'
import { documentStatuses } from './contract.ts'

/** The data of the outbox event of an execution. */
const ActionCompletedData = v.object({
  documentId: Id,
  documentType: v.string(),
  actionCode: v.string(),
  previousStatus: v.picklist(documentStatuses),
  currentStatus: v.picklist(documentStatuses),
  documentVersion: v.number(),
})
export type ActionCompletedData = v.InferOutput<typeof ActionCompletedData>

/**
 * The outbox event that an execution writes in its transaction. `subject` is `document/<type>/<id>` and `causationId` is
 * the execution id. The document may have changed since the event, so consumers must load its current state.
 */
export const actionCompleted = {
  type: 'document.action.completed',
  schema: ActionCompletedData,
} satisfies EventDescriptor

/** Returns the outbox event of an execution. */
export function completionOf(event: ExecutionEvent): NewOutboxEvent {
  const { before, after, actor } = event
  const data: ActionCompletedData = {
    documentId: before.id,
    documentType: before.typeCode,
    actionCode: event.actionCode,
    previousStatus: before.status,
    currentStatus: after.status,
    documentVersion: after.version,
  }
  return {
    type: actionCompleted.type,
    source: '@vertical-kit/document-actions',
    subject: `document/${before.typeCode}/${before.id}`,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    causationId: event.executionId,
    schemaVersion: 1,
    data,
  }
}
