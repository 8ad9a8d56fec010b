import { type SQL, sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'

/** A message that this process can send until its lease expires. */
export interface LeasedMessage {
  readonly id: string
  readonly leaseToken: string
  /** The number of this attempt, starting at 1. */
  readonly attempt: number
}

export interface LeaseMessages {
  readonly table: SQL
  /** Further columns of the table to return, separated by commas. */
  readonly columns: SQL
  /** Every lease has a new token. */
  readonly leaseToken: string
  readonly leaseMs: number
  readonly maxAttempts: number
  readonly batchSize: number
}

type Row<Columns> = Columns & { id: string; attempts: number; state: string }

/**
 * Leases the messages that are due, and counts an attempt for each of them. A lease hides a message: `available_at` is its
 * end. A message with an expired lease and no attempts left becomes a dead letter, and is returned in `dead`.
 */
export async function leaseMessages<Columns extends Record<string, unknown>>(
  tx: Tx,
  { table, columns, leaseToken, leaseMs, maxAttempts, batchSize }: LeaseMessages,
): Promise<{ readonly leased: readonly (LeasedMessage & Columns)[]; readonly dead: readonly string[] }> {
  const rows = await tx.execute<Row<Columns>>(sql`
    with due as (
      select id, attempts >= ${maxAttempts}::int as is_exhausted
      from ${table}
      where state = 'pending' and available_at <= statement_timestamp()
      order by available_at
      limit ${batchSize}::int
      for update skip locked
    )
    update ${table} message
    set attempts = case when due.is_exhausted then message.attempts else message.attempts + 1 end,
      lease_token = case when due.is_exhausted then null else ${leaseToken}::uuid end,
      available_at = statement_timestamp() + make_interval(secs => ${leaseMs}::float8 / 1000),
      state = case when due.is_exhausted then 'dead' else 'pending' end,
      state_since = case when due.is_exhausted then statement_timestamp() else message.state_since end
    from due
    where message.id = due.id
    returning message.id, message.attempts, message.state, ${columns}`)
  return {
    leased: rows
      .filter(({ state }) => state === 'pending')
      .map((row) => ({ ...row, leaseToken, attempt: row.attempts })),
    dead: rows.filter(({ state }) => state === 'dead').map(({ id }) => id),
  }
}
