import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { DocumentActionsError } from '../errors.ts'
import { type ExecutionKey, findExecution, type StoredExecution } from '../queries/find-execution.ts'

/**
 * Takes an actor's key until the transaction ends, whichever way it ends, and returns the execution that completed
 * with it, if any. Nobody waits: who comes second is told so. The look comes second and as a statement of its own: one
 * that started before the lock was free would not see what its last holder committed.
 *
 * @throws {DocumentActionsError} document_action.in_progress
 */
export async function takeKey(tx: Tx, key: ExecutionKey): Promise<StoredExecution | undefined> {
  const name = `document_actions/${key.actorUserId}/${key.idempotencyKey}`
  const [[lock], execution] = await Promise.all([
    tx.execute<{ is_taken: boolean }>(sql`
      select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_taken`),
    findExecution(tx, key),
  ])
  if (lock?.is_taken !== true) throw new DocumentActionsError('document_action.in_progress')
  return execution
}
