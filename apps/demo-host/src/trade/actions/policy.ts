import type { DisabledReasonInput, DocumentState } from '@vertical-kit/document-actions'
import type { DocumentStatus } from '@vertical-kit/document-actions/contract'
import { salesInvoice } from '../documents/document-types.ts'
import type { PaymentFields } from '../documents/fields.ts'
import { fitsTheBooks, type Posting, totalCredit, totalDebit } from '../ledger/posting.ts'

/** The facts that decide which actions of an order are enabled. */
export interface OrderFacts {
  /** Whether an invoice was created from the order. */
  readonly isInvoiced: boolean
}

/** The facts that decide which actions of an invoice are enabled. Both amounts are 0 while the invoice is not posted. */
export interface InvoiceFacts {
  /** The open balance in cents. */
  readonly outstanding: bigint
  /** The amount in cents that was paid or written off. */
  readonly settled: bigint
}

/** The facts that decide which actions of a payment are enabled. All amounts are in cents. */
export interface PaymentFacts {
  /** The amount that is not applied to the invoice yet. It is 0 while the payment is not posted. */
  readonly unapplied: bigint
  /** The amount that is applied to the invoice. */
  readonly applied: bigint
  readonly invoiceStatus: DocumentStatus
  /** The open balance of the invoice. */
  readonly outstanding: bigint
}

/** Returns a reason against posting if the total exceeds the limit of the books. */
export const postReasons = (posting: Posting): readonly DisabledReasonInput[] =>
  unless({
    isFine: fitsTheBooks(posting),
    code: 'trade.total_too_large',
    message: 'The total exceeds the largest amount that the ledger can store.',
  })

/** Returns the reasons against posting a journal entry. Its debits and credits must be equal and above zero. */
export const journalPostReasons = (posting: Posting): readonly DisabledReasonInput[] => [
  ...unless({
    isFine: totalDebit(posting) === totalCredit(posting) && totalDebit(posting) > 0n,
    code: 'trade.entries_unbalanced',
    message: 'Total debits and total credits must be equal and greater than zero.',
  }),
  ...unless({
    isFine: posting.entries.every(({ debit, credit }) => debit === 0n || credit === 0n),
    code: 'trade.entry_two_sided',
    message: 'Each line must be either a debit or a credit.',
  }),
  ...postReasons(posting),
]

/** Returns a reason against unposting and reposting an order if an invoice was created from the order. */
export const orderReversalReasons = (facts: OrderFacts): readonly DisabledReasonInput[] =>
  unless({
    isFine: !facts.isInvoiced,
    code: 'trade.order_already_invoiced',
    message: 'This order already has an invoice.',
  })

export const createInvoiceReasons = (
  facts: OrderFacts,
  { status }: Pick<DocumentState, 'status'>,
): readonly DisabledReasonInput[] => [
  ...unless({
    isFine: status === 'Posted',
    code: 'trade.order_not_posted',
    message: 'The order is not posted.',
    remedy: { actionCode: 'post', message: 'Post the order first.' },
  }),
  ...orderReversalReasons(facts),
]

/** Returns a reason against unposting and reposting an invoice if it has payments or a write-off. */
export const invoiceReversalReasons = (facts: InvoiceFacts): readonly DisabledReasonInput[] =>
  unless({
    isFine: facts.settled === 0n,
    code: 'trade.invoice_has_settlements',
    message: 'Payments have been applied to this invoice, or it has been written off.',
  })

export function writeOffReasons(
  facts: InvoiceFacts,
  { status }: Pick<DocumentState, 'status'>,
): readonly DisabledReasonInput[] {
  if (status !== 'Posted') {
    return [{ ...invoiceNotPosted, remedy: { actionCode: 'post', message: 'Post the invoice first.' } }]
  }
  return facts.outstanding > 0n ? [] : [invoiceSettled]
}

/** Returns a reason against reposting an applied payment, because reposting would silently reverse the application. */
export const paymentRepostReasons = (facts: PaymentFacts): readonly DisabledReasonInput[] =>
  unless({
    isFine: facts.applied === 0n,
    code: 'trade.payment_applied',
    message: 'The payment is applied to an invoice.',
    remedy: { actionCode: 'unpost', message: 'Unpost the payment first.' },
  })

export function applyPaymentReasons(
  facts: PaymentFacts,
  { status, payload }: Pick<DocumentState<PaymentFields>, 'status' | 'payload'>,
): readonly DisabledReasonInput[] {
  const own = reasonsOfPayment(facts, status)
  // Nothing is left to apply, whatever the state of the invoice is.
  const isApplied = status === 'Posted' && own.length > 0
  return isApplied ? own : [...own, ...reasonsOfInvoice(facts, payload.fields.invoiceId)]
}

function reasonsOfPayment(
  { unapplied }: PaymentFacts,
  status: DocumentStatus,
): readonly DisabledReasonInput[] {
  if (status !== 'Posted') {
    return [
      {
        code: 'trade.payment_not_posted',
        message: 'The payment is not posted.',
        remedy: { actionCode: 'post', message: 'Post the payment first.' },
      },
    ]
  }
  return unless({
    isFine: unapplied > 0n,
    code: 'trade.payment_fully_applied',
    message: 'The payment has been applied in full.',
  })
}

function reasonsOfInvoice(
  { invoiceStatus, outstanding }: PaymentFacts,
  invoiceId: string,
): readonly DisabledReasonInput[] {
  if (invoiceStatus !== 'Posted') {
    const target = { code: salesInvoice.code, parameters: { documentId: invoiceId } }
    return [{ ...invoiceNotPosted, remedy: { target, message: 'Open the invoice and post it.' } }]
  }
  return outstanding > 0n ? [] : [invoiceSettled]
}

/** Returns the largest amount, in cents, that can be applied from a payment to its invoice. */
export const maxApplicable = ({ unapplied, outstanding }: PaymentFacts): bigint =>
  unapplied < outstanding ? unapplied : outstanding

const invoiceNotPosted: DisabledReasonInput = {
  code: 'trade.invoice_not_posted',
  message: 'The invoice is not posted.',
}

const invoiceSettled: DisabledReasonInput = {
  code: 'trade.invoice_settled',
  message: 'The invoice has no open balance.',
}

const unless = ({
  isFine,
  ...reason
}: DisabledReasonInput & { readonly isFine: boolean }): readonly DisabledReasonInput[] =>
  isFine ? [] : [reason]
