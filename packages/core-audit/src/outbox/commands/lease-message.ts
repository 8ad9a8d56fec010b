import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'

/** A message that this process can send until its lease expires. */
export interface LeasedMessage {
  readonly id: string
  readonly leaseToken: string
  /** The number of this attempt, starting at 1. */
  readonly attempt: number
  readonly destination: string
}

export interface LeaseMessage {
  readonly table: SQL
  /** Further columns of the table to return, separated by commas. */
  readonly columns: SQL
  /** An expression for the destination of a message. */
  readonly destination: SQL<string>
  /** The destination of the message, or a sub-select that returns it. */
  readonly to: SQL<string | null>
  /** Every lease has a new token. */
  readonly leaseToken: string
  readonly leaseMs: number
  readonly maxAttempts: number
}

type Row<Columns> = Columns & { id: string; attempts: number; state: string; destination: string }

/** The result of a lease. `locked`: other transactions have locked all due messages of this destination. */
export type Leased<Columns> =
  | { readonly message: LeasedMessage & Columns }
  | { readonly dead: Row<Columns> }
  | { readonly locked: string }

/**
 * Leases the message of one destination that has been due for the longest time, and counts an attempt. A lease hides a message:
 * `available_at` is its end. A message with an expired lease and no attempts left becomes a dead letter instead, and is returned in
 * `dead`. Returns undefined if `to` returns no destination.
 *
 * Uses the index of the destination and `available_at`.
 */
export async function leaseMessage<Columns extends Record<string, unknown>>(
  tx: Tx,
  { table, columns, destination, to, leaseToken, leaseMs, maxAttempts }: LeaseMessage,
): Promise<Leased<Columns> | undefined> {
  const [row] = await tx.execute<Row<Columns> | { id: null; destination: string }>(sql`
    with chosen as materialized (
      select ${to}::text as destination
    ),
    due as (
      select id, attempts >= ${maxAttempts}::int as is_exhausted
      from ${table}
      where state = 'pending' and ${destination} = (select chosen.destination from chosen)
        and available_at <= statement_timestamp()
      order by available_at
      limit 1
      for update skip locked
    ),
    leased as (
      update ${table} message
      set attempts = case when due.is_exhausted then message.attempts else message.attempts + 1 end,
        lease_token = case when due.is_exhausted then null else ${leaseToken}::uuid end,
        available_at = statement_timestamp() + make_interval(secs => ${leaseMs}::float8 / 1000),
        state = case when due.is_exhausted then 'dead' else 'pending' end,
        state_since = case when due.is_exhausted then statement_timestamp() else message.state_since end
      from due
      where message.id = due.id
      returning message.id, message.attempts, message.state, ${columns}
    )
    select chosen.destination, leased.*
    from chosen
    left join leased on true
    where chosen.destination is not null`)
  if (row === undefined) return undefined
  if (row.id === null) return { locked: row.destination }
  return row.state === 'dead' ? { dead: row } : { message: { ...row, leaseToken, attempt: row.attempts } }
}
