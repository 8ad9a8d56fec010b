import { recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionExecution } from '@vertical-kit/document-actions'
import type { PaymentFields } from '../../documents/fields.ts'
import { invoiceBalanceChanged } from '../audit.ts'
import type { PaymentFacts } from '../policy.ts'
import { lockInvoice } from './apply-payment.ts'

/**
 * Runs before a payment is unposted. Locks the invoice and adds an event to the invoice's timeline: the applied amount is
 * open again. The caller then reverses the postings of the payment.
 */
export async function releasePayment(
  tx: Tx,
  execution: ActionExecution<PaymentFields, PaymentFacts>,
): Promise<void> {
  if (execution.facts.applied === 0n) return
  const { outstanding, applied } = await lockInvoice(tx, execution.document)
  await recordAudit(
    tx,
    invoiceBalanceChanged(execution, {
      actionCode: 'trade.payment_released',
      before: outstanding,
      after: outstanding + applied,
    }),
  )
}
