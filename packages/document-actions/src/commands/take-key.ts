import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { DocumentActionsError } from '../errors.ts'
import { type ExecutionKey, findExecution, type StoredExecution } from '../queries/find-execution.ts'

/**
 * Claims a key of an actor until the transaction commits or rolls back. Returns the completed execution of the key, if
 * one exists. Never waits: throws if another transaction has claimed the key. The lookup is a second statement. A single
 * statement could start before the lock is free, and would then miss the execution that the other transaction committed.
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
