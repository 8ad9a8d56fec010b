import { type SQL, sql } from 'drizzle-orm/sql'

/**
 * What is open on a document, as text with two places: owed on an invoice, positive while it is; not yet used of a
 * payment, negative while there is something. An expression to select. Served by `posting_entries_by_open_item`.
 */
export const openAmount = (documentId: string): SQL => sql`(
  select coalesce(sum(entry.debit - entry.credit), 0.00)::text
  from trade.posting_entries entry
  where entry.open_item_id = ${documentId}::uuid
)`
