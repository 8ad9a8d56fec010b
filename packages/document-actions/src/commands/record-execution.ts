import { auditInsert, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { actionExecuted } from '../audit.ts'
import type { ExecutionResult } from '../contract.ts'
import { toDocument } from '../documents/document-row.ts'
import { completionOf } from '../outbox.ts'
import type { ExecutionKey } from '../queries/find-execution.ts'
import type { ExecuteAction } from './execute-action.ts'
import type { Performed } from './perform-action.ts'

/**
 * Writes the audit event, the outbox event and the answer in one statement. Returns the answer. Repeats of the request
 * receive the same answer: like them, it omits a created document that is hidden from the caller.
 */
export async function recordExecution(
  tx: Tx,
  { action: { definition }, outbox, fingerprint }: ExecuteAction,
  { event, actions, createdDocument, key }: Performed & { readonly key: ExecutionKey },
): Promise<ExecutionResult> {
  const { executionId, actionCode, after, created } = event
  const result: ExecutionResult = {
    executionId,
    actionCode,
    document: toDocument(after),
    documentVersion: after.version,
    actions,
    workCenterMayChange:
      'workCenterMayChange' in definition ? definition.workCenterMayChange !== false : true,
    createdDocument: created && toDocument(created),
  }
  await tx.send(sql`
    with audit as (${auditInsert(tx, [actionExecuted(event)])}),
    event as (${outbox.insert(tx, [completionOf(event)])})
    insert into document_actions.executions (
      id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result
    )
    values (
      ${executionId}::uuid, ${key.actorUserId}::uuid, ${key.idempotencyKey}, ${fingerprint}::bytea,
      ${after.typeCode}, ${after.id}::uuid, ${actionCode}, ${JSON.stringify(result)}
    )`)
  return { ...result, createdDocument: createdDocument && toDocument(createdDocument) }
}
