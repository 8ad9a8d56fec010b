import { type SQL, sql } from '@vertical-kit/core-audit'

/** An SQL condition: the row `posting` is neither a reversal nor reversed. Uses the index `postings_reverses_id_key`. */
export const isInEffect: SQL = sql`
  posting.reverses_id is null
  and not exists (select from trade.postings reversal where reversal.reverses_id = posting.id)`
