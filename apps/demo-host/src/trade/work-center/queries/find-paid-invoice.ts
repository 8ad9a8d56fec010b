import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'

/** One execution of an action on a payment. */
export interface PaymentExecution {
  readonly paymentId: string
  readonly executionId: string
}

/**
 * Returns the id of the invoice with the changed balance, or `undefined` if the execution changed no balance. Reads the
 * books, because the payment can already reference another invoice. Uses the index `postings_by_document`.
 */
export async function findPaidInvoice(
  db: Db,
  { paymentId, executionId }: PaymentExecution,
): Promise<string | undefined> {
  const [row] = await db.execute<{ invoice_id: string }>(sql`
    select distinct entry.open_item_id as invoice_id
    from trade.postings posting
    join trade.posting_entries entry on entry.posting_id = posting.id
    where posting.document_id = ${paymentId}::uuid
      and posting.execution_id = ${executionId}::uuid
      and entry.open_item_id <> posting.document_id`)
  return row?.invoice_id
}
