import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import type { PaymentBalance } from '../contract.ts'

type Row = { unapplied: string; applicable: string }

/** Loads the balance of a payment from the books. Uses the indexes `documents_pkey` and `posting_entries_by_open_item`. */
export async function loadPaymentBalance(db: Db, paymentId: string): Promise<PaymentBalance> {
  const [row] = await db.execute<Row>(sql`
    select unapplied::text, least(unapplied, outstanding)::text as applicable
    from (
      select
        -${openAmount(sql`payment.id`)}::numeric as unapplied,
        ${openAmount(sql`(payment.payload #>> '{fields,invoiceId}')`)}::numeric as outstanding
      from trade.documents payment
      where payment.id = ${paymentId}::uuid
    ) balance`)
  return { unappliedAmount: row?.unapplied ?? '0.00', applicableAmount: row?.applicable ?? '0.00' }
}
