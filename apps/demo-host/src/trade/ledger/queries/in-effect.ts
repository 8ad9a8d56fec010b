import { type SQL, sql } from 'drizzle-orm/sql'

/** Selects `trade.postings posting` without reversals and reversed postings. Served by `postings_reverses_id_key`. */
export const isInEffect: SQL = sql`
  posting.reverses_id is null
  and not exists (select from trade.postings reversal where reversal.reverses_id = posting.id)`
