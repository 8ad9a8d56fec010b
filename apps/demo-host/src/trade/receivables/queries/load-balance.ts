import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { InvoiceBalance } from '../contract.ts'

type Row = { paid: string; outstanding: string }

/** Loads the balance of an invoice from the books. Uses the indexes `posting_entries_by_open_item` and `postings_pkey`. */
export async function loadBalance(db: Db, invoiceId: string): Promise<InvoiceBalance> {
  // The postings of the invoice itself are its total and its write-off. All others are applications of payments.
  const [row] = await db.execute<Row>(sql`
    select
      coalesce(sum(entry.debit - entry.credit), 0.00)::text as outstanding,
      coalesce(sum(entry.credit - entry.debit) filter (where posting.document_id <> ${invoiceId}::uuid), 0.00)::text
        as paid
    from trade.posting_entries entry
    join trade.postings posting on posting.id = entry.posting_id
    where entry.open_item_id = ${invoiceId}::uuid`)
  return { paidAmount: row?.paid ?? '0.00', outstandingAmount: row?.outstanding ?? '0.00' }
}
