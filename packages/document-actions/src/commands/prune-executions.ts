import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { DocumentActionsConfig } from '../config.ts'

/** Rows a transaction deletes: small enough that nobody waits for it. */
export const pruneBatchSize = 1_000

/**
 * Deletes a batch of executions past their retention, oldest first, and returns how many. A repeat that comes later
 * than that is executed anew, and refused for the version it names: the version is what keeps an effect single for good.
 * Served by `executions_by_completion`; replicas leave each other's rows alone.
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
