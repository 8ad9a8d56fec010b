import { recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import {
  type ActionExecution,
  DocumentActionsError,
  type DocumentState,
} from '@vertical-kit/document-actions'
import * as v from 'valibot'
import { salesInvoice } from '../../documents/document-types.ts'
import type { PaymentFields } from '../../documents/fields.ts'
import { lockDocument } from '../../documents/queries/lock-document.ts'
import { writePosting } from '../../ledger/commands/write-posting.ts'
import { amountOf, centsOf } from '../../ledger/money.ts'
import { applicationPosting } from '../../ledger/posting-rules.ts'
import { PositiveAmount } from '../../value-schemas.ts'
import { invoiceBalanceChanged } from '../audit.ts'
import { TradeActionsError } from '../errors.ts'
import { applyPaymentReasons, maxApplicable, type PaymentFacts } from '../policy.ts'
import { loadPaymentFacts } from '../queries/load-payment-facts.ts'

/** The payload of the action that applies a payment. */
export const ApplyPaymentPayload = v.strictObject({ amount: PositiveAmount })
export type ApplyPaymentPayload = v.InferOutput<typeof ApplyPaymentPayload>

/**
 * Applies an amount of a payment to its invoice. The caller must have locked the payment. This command locks the invoice
 * and then reads the balance again. Therefore payments and write-offs of one invoice run one after the other.
 *
 * @throws {DocumentActionsError} document_action.unavailable if a concurrent change disabled the action
 * @throws {TradeActionsError} trade.amount_too_large
 */
export async function applyPayment(
  tx: Tx,
  execution: ActionExecution<PaymentFields, PaymentFacts, ApplyPaymentPayload>,
) {
  const { document: payment, payload } = execution
  const cents = centsOf(payload.amount)
  const facts = await lockInvoice(tx, payment)
  checkApplicable(payment, facts, cents)
  const { unapplied, outstanding } = facts
  const left = { unapplied: unapplied - cents, outstanding: outstanding - cents }
  await Promise.all([
    writePosting(tx, { ...execution, actionCode: 'trade.apply_payment' }, applicationPosting(payment, cents)),
    recordAudit(
      tx,
      invoiceBalanceChanged(execution, {
        actionCode: 'trade.payment_applied',
        before: outstanding,
        after: left.outstanding,
      }),
    ),
  ])
  return {
    changes: [{ fieldPath: 'unapplied', oldValue: amountOf(unapplied), newValue: amountOf(left.unapplied) }],
  }
}

/** Locks the invoice of a payment until the transaction ends and returns the current facts. */
export async function lockInvoice(tx: Tx, payment: DocumentState<PaymentFields>): Promise<PaymentFacts> {
  const invoice = { typeCode: salesInvoice.code, id: payment.payload.fields.invoiceId }
  // Both statements are sent together. They run in this order, so the facts are read after the lock is acquired.
  const [, facts] = await Promise.all([
    lockDocument(tx, invoice, 'no key update'),
    loadPaymentFacts(tx, payment),
  ])
  return facts
}

function checkApplicable(payment: DocumentState<PaymentFields>, facts: PaymentFacts, cents: bigint): void {
  const reasonCodes = applyPaymentReasons(facts, payment).map(({ code }) => code)
  if (reasonCodes.length > 0) {
    throw new DocumentActionsError('document_action.unavailable', { context: { reasonCodes } })
  }
  const maxAmount = amountOf(maxApplicable(facts))
  if (cents > maxApplicable(facts)) {
    throw new TradeActionsError('trade.amount_too_large', {
      detail: `At most ${maxAmount} can be applied: the unapplied part of the payment, or the open balance of the invoice.`,
      context: {
        maxAmount,
        unappliedAmount: amountOf(facts.unapplied),
        outstandingAmount: amountOf(facts.outstanding),
      },
    })
  }
}
