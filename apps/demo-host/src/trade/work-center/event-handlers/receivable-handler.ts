import type { Db } from '@vertical-kit/core-audit/database'
import { type ActionCompletedData, actionCompleted } from '@vertical-kit/document-actions'
import { type DesiredTask, type Inbox, on } from '@vertical-kit/work-center'
import { customerPayment, salesInvoice } from '../../documents/document-types.ts'
import { amountOf, linesTotal } from '../../ledger/money.ts'
import { tradeRoles } from '../../roles.ts'
import { aboutDocument } from '../about-document.ts'
import { collectPayment, invoiceSettled } from '../definitions.ts'
import { findPaidInvoice } from '../queries/find-paid-invoice.ts'
import { lockReceivable, type Receivable } from '../queries/lock-receivable.ts'

/**
 * Keeps a task open while a posted invoice has an open balance. Notifies viewers and auditors when a payment settles the
 * invoice. The handler locks the invoice and reads its current balance, because events of an invoice and of its payments
 * are handled in any order and can be handled concurrently.
 */
export const receivableHandler = on(
  actionCompleted,
  async (inbox, { data, causationId: executionId }, tx) => {
    const invoiceId = await concernedInvoice(tx, data, executionId)
    if (invoiceId === undefined) return
    const receivable = await lockReceivable(tx, invoiceId)
    // First sync the task to the state after the action, then to the current state. Example: if the invoice was paid
    // before its posting is handled, the first sync opens the task and the second completes it.
    if (isOwedAgain(data) && receivable && totalOf(receivable) > 0n) {
      inbox.sync(collectPayment, invoiceId, taskOf(receivable))
    }
    if (isUnposted(data)) inbox.sync(collectPayment, invoiceId, 'cancelled')
    inbox.sync(collectPayment, invoiceId, desiredTask(receivable))
    if (receivable && data.actionCode === 'trade.apply_payment') notifySettlement(inbox, receivable)
  },
)

async function concernedInvoice(
  db: Db,
  { documentType, documentId }: ActionCompletedData,
  executionId: string | null,
): Promise<string | undefined> {
  if (documentType === salesInvoice.code) return documentId
  if (documentType !== customerPayment.code || executionId === null) return undefined
  return findPaidInvoice(db, { paymentId: documentId, executionId })
}

/** True for actions after which the invoice is open: the invoice was posted, or a payment of it was unposted. */
const isOwedAgain = ({ documentType, actionCode }: ActionCompletedData): boolean =>
  actionCode === (documentType === salesInvoice.code ? 'post' : 'unpost')

const isUnposted = ({ documentType, actionCode }: ActionCompletedData): boolean =>
  documentType === salesInvoice.code && actionCode === 'unpost'

function desiredTask(receivable: Receivable | undefined): DesiredTask {
  if (receivable?.invoice.status !== 'Posted') return 'cancelled'
  return receivable.outstanding > 0n ? taskOf(receivable) : 'completed'
}

const totalOf = ({ invoice }: Receivable): bigint => linesTotal(invoice.payload.fields.lines)

/**
 * Returns the open task. Its amount is the total of the invoice, because an open task does not change after a partial payment. The
 * customer and the due day have places of their own in the task.
 */
function taskOf(receivable: Receivable) {
  const { invoice, customerName } = receivable
  const { dueDate } = invoice.payload.fields
  const total = amountOf(totalOf(receivable))
  return {
    ...aboutDocument(invoice, customerName),
    title: `Collect payment for ${invoice.number}`,
    titleText: { key: 'trade.collect_payment.title', parameters: { number: invoice.number } },
    description: `${total} in total`,
    descriptionText: { key: 'trade.total', parameters: { total } },
    priority: 'High',
    dueOn: dueDate,
    assignedTo: { roleCode: tradeRoles.clerk },
    // The invoice has no action that collects the payment, because payments are separate documents.
    primaryActionCode: null,
  } as const
}

/** Sends one notification for each posting that settled the invoice, even if later events find the same balance. */
function notifySettlement(inbox: Inbox, receivable: Receivable): void {
  const { invoice, customerName, lastPosting } = receivable
  if (desiredTask(receivable) !== 'completed' || lastPosting?.actionCode !== 'trade.apply_payment') return
  const total = amountOf(totalOf(receivable))
  inbox.createNotification(invoiceSettled, {
    ...aboutDocument(invoice, customerName),
    deduplicationKey: `${invoice.id}/${lastPosting.id}`,
    title: `Invoice ${invoice.number} is settled`,
    description: `${customerName} has paid the total of ${total}.`,
    descriptionText: {
      key: 'trade.invoice_settled.description',
      parameters: { amount: total, customer: customerName },
    },
  })
}
