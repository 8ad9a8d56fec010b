import { Id } from '@vertical-kit/core-audit/contract'
import type { EventDescriptor, NewOutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import type { ExecutionEvent } from './audit.ts'
import { documentStatuses } from './contract.ts'

/** What the event of an execution says. */
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
 * The event of every execution, from the transaction that it happened in. Its subject is `document/<type>/<id>`, its
 * `causationId` the execution. The document may have changed since: ask how it is now.
 */
export const actionCompleted = {
  type: 'document.action.completed',
  schema: ActionCompletedData,
} satisfies EventDescriptor

/** The event of an execution. */
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
