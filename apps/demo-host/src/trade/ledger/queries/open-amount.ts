import { type SQL, sql } from '@vertical-kit/core-audit'

/**
 * Selects the open amount of a document as text with two decimal places. For an invoice, it is the open balance, which is
 * positive. For a payment, it is the unapplied amount, which is negative. Uses the index `posting_entries_by_open_item`.
 */
export const openAmount = (documentId: string | SQL): SQL => sql`(
  select coalesce(sum(entry.debit - entry.credit), 0.00)::text
  from trade.posting_entries entry
  where entry.open_item_id = ${documentId}::uuid
)`
