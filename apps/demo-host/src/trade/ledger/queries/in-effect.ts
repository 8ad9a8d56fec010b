import { type SQL, sql } from 'drizzle-orm/sql'

/** Of `trade.postings posting`: neither a reversal nor reversed. Served by `postings_reverses_id_key`. */
export const isInEffect: SQL = sql`
  posting.reverses_id is null
  and not exists (select from trade.postings reversal where reversal.reverses_id = posting.id)`
