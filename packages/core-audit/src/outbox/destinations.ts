import { type SQL, sql } from '../database/sql.ts'

/** The table of messages, and the expression for their destination. */
export interface Destinations {
  readonly table: SQL
  readonly destination: SQL<string>
}

/**
 * The first pending message of each destination, as the table expression `heads`. It jumps from destination to destination in the
 * index of the destination and `available_at`, regardless of the number of messages.
 */
const heads = ({ table, destination }: Destinations): SQL => {
  const first = (condition: SQL) => sql`
      select ${destination} as destination, available_at
      from ${table}
      where state = 'pending' ${condition}
      order by ${destination}, available_at
      limit 1`
  return sql`
    heads as (
      (${first(sql``)})
      union all
      select next.* from heads cross join lateral (${first(sql`and ${destination} > heads.destination`)}) next
    )`
}

/** Returns an expression for the time from which a message is due. */
export const nextMessageAt = (destinations: Destinations): SQL<string | null> => sql<string | null>`(
    with recursive ${heads(destinations)}
    select min(available_at) from heads
  )`

/** Returns an expression for the destination, other than those in `full`, whose message has been due for the longest time. */
export const longestDue = (destinations: Destinations, full: readonly string[]): SQL<string | null> => sql<
  string | null
>`(
    with recursive ${heads(destinations)}
    select destination
    from heads
    where destination <> all (${sql.param(full)}::text[]) and available_at <= statement_timestamp()
    order by available_at
    limit 1
  )`
