import { auditInsert } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { sql } from 'drizzle-orm/sql'
import { actionExecuted, type ExecutionEvent } from '../audit.ts'
import type { ExecutionResult } from '../contract.ts'
import { completionOf } from '../outbox.ts'
import type { ExecutionKey } from '../queries/find-execution.ts'

/** An execution with its answer. Repeats of the request receive the same answer. */
export interface RecordExecution {
  readonly outbox: Outbox
  readonly key: ExecutionKey
  readonly fingerprint: Uint8Array
  readonly event: ExecutionEvent
  readonly result: ExecutionResult
}

/** Writes the audit event, the outbox event and the stored answer in one statement. */
export async function recordExecution(tx: Tx, record: RecordExecution): Promise<void> {
  const { outbox, key, fingerprint, event, result } = record
  const { id, typeCode } = event.before
  await tx.execute(sql`
    with audit as (${auditInsert([actionExecuted(event)])}),
    event as (${outbox.insert(tx, [completionOf(event)])})
    insert into document_actions.executions (
      id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result
    )
    values (
      ${event.executionId}::uuid, ${key.actorUserId}::uuid, ${key.idempotencyKey}, ${fingerprint}::bytea,
      ${typeCode}, ${id}::uuid, ${event.actionCode}, ${JSON.stringify(result)}
    )`)
}
