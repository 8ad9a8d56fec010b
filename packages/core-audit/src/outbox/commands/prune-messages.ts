import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'

export interface PruneMessages {
  readonly table: SQL
  readonly state: 'sent' | 'skipped'
  readonly retentionMs: number
}

/**
 * Deletes up to 500 messages that were sent or skipped longer than `retentionMs` ago, and returns their number. Dead letters
 * stay until an operator retries them. Uses the index of `state` and `state_since`: for one state, it has the order of the time.
 */
export async function pruneMessages(tx: Tx, { table, state, retentionMs }: PruneMessages): Promise<number> {
  const rows = await tx.execute(sql`
    with old as (
      select id
      from ${table}
      where state = ${state}
        and state_since < statement_timestamp() - make_interval(secs => ${retentionMs}::float8 / 1000)
      order by state_since
      limit 500
      for update skip locked
    )
    delete from ${table} message using old where message.id = old.id
    returning message.id`)
  return rows.length
}
