import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { customerPayment } from '../../documents/document-types.ts'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import type { InvoiceBalance } from '../contract.ts'

type Row = { paid: string; outstanding: string; unapplied: string; payment_id: string | null }

/**
 * Loads the balance of an invoice from the books, in one statement. Uses the indexes `posting_entries_by_open_item`,
 * `postings_pkey` and `documents_by_reference`.
 */
export async function loadBalance(db: Db, invoiceId: string): Promise<InvoiceBalance> {
  // The postings of the invoice itself are its total and its write-off. All others are applications of payments.
  const [row] = await db.execute<Row>(sql`
    with payments as (
      select payment.id, -(${openAmount(sql`payment.id`)})::numeric as unapplied
      from trade.documents payment
      where payment.type_code = ${customerPayment.code}
        and payment.payload @> jsonb_build_object('fields', jsonb_build_object('invoiceId', ${invoiceId}::uuid))
    )
    select
      coalesce(sum(entry.debit - entry.credit), 0.00)::text as outstanding,
      coalesce(sum(entry.credit - entry.debit) filter (where posting.document_id <> ${invoiceId}::uuid), 0.00)::text
        as paid,
      (select coalesce(sum(unapplied), 0.00)::text from payments) as unapplied,
      (select id from payments where unapplied > 0 order by id limit 1) as payment_id
    from trade.posting_entries entry
    join trade.postings posting on posting.id = entry.posting_id
    where entry.open_item_id = ${invoiceId}::uuid`)
  return {
    paidAmount: row?.paid ?? '0.00',
    outstandingAmount: row?.outstanding ?? '0.00',
    unappliedAmount: row?.unapplied ?? '0.00',
    unappliedPaymentId: row?.payment_id ?? null,
  }
}
