import { type SQL, sql } from 'drizzle-orm/sql'

/**
 * Selects the open amount of a document as text with two places. On an invoice, positive: the open balance. On a payment,
 * negative: the amount not applied yet. Served by `posting_entries_by_open_item`.
 */
export const openAmount = (documentId: string): SQL => sql`(
  select coalesce(sum(entry.debit - entry.credit), 0.00)::text
  from trade.posting_entries entry
  where entry.open_item_id = ${documentId}::uuid
)`
