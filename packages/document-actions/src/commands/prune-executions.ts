import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { DocumentActionsConfig } from '../config.ts'

/** Maximum number of rows per transaction. Other requests do not wait noticeably for a batch of this size. */
export const pruneBatchSize = 1_000

/**
 * Deletes one batch of executions that are past their retention time, oldest first. Returns the number of deleted rows.
 * A later repeat of a deleted execution is a new request and fails with a version conflict, so no action runs twice.
 * Uses the index `executions_by_completion`. Skips rows that another replica has locked.
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
