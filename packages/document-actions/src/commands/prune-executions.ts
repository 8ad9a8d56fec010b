import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { DocumentActionsConfig } from '../config.ts'

/** Maximum rows per transaction, small enough that other requests do not wait noticeably. */
export const pruneBatchSize = 1_000

/**
 * Deletes one batch of executions after their retention time, oldest first, and returns their number. A later repeat of
 * the key is treated as a new request and fails with a version conflict, so an action still never runs twice. Served by
 * `executions_by_completion`. Skips rows that another replica has locked.
 */
export async function pruneExecutions(tx: Tx, config: DocumentActionsConfig): Promise<number> {
  const rows = await tx.execute(sql`
    delete from document_actions.executions
    where id in (
      select id
      from document_actions.executions
      where completed_at < statement_timestamp() - ${config.executionRetentionMs}::bigint * interval '1 millisecond'
      order by completed_at
      limit ${pruneBatchSize}
      for update skip locked
    )
    returning id`)
  return rows.length
}
