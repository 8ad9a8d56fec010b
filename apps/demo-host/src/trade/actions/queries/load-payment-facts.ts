import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { DocumentActionsError, type DocumentState } from '@vertical-kit/document-actions'
import type { DocumentStatus } from '@vertical-kit/document-actions/contract'
import type { PaymentFields } from '../../documents/fields.ts'
import { centsOf } from '../../ledger/money.ts'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import type { PaymentFacts } from '../policy.ts'

type Row = { open: string; invoice_status: DocumentStatus; outstanding: string }

/** Loads the facts for the actions of a payment, including the state of its invoice, in one statement. */
export async function loadPaymentFacts(
  db: Db,
  document: DocumentState<PaymentFields>,
): Promise<PaymentFacts> {
  const { invoiceId, amount } = document.payload.fields
  const [row] = await db.execute<Row>(sql`
    select
      ${openAmount(document.id)} as open,
      invoice.status as invoice_status,
      ${openAmount(invoiceId)} as outstanding
    from trade.documents invoice
    where invoice.id = ${invoiceId}::uuid`)
  // An invoice with payments cannot be deleted. A missing row means that the payment was deleted after the caller read it.
  if (row === undefined) throw new DocumentActionsError('documents.not_found')
  const unapplied = -centsOf(row.open)
  // The fields of a posted payment cannot change, so its field `amount` is the posted amount.
  const received = document.status === 'Posted' ? centsOf(amount) : 0n
  return {
    unapplied,
    applied: received - unapplied,
    invoiceStatus: row.invoice_status,
    outstanding: centsOf(row.outstanding),
  }
}
