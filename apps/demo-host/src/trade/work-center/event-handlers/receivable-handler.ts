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
 * While something is owed on a posted invoice, its payment is to be collected; when a payment has settled it, viewers and
 * auditors are told. It goes by the balance under the invoice's lock, not by which event came: events about the invoice
 * and events about its payments are handled in any order, some at the same time.
 */
export const receivableHandler = on(
  actionCompleted,
  async (inbox, { data, causationId: executionId }, tx) => {
    const invoiceId = await concernedInvoice(tx, data, executionId)
    if (invoiceId === undefined) return
    const receivable = await lockReceivable(tx, invoiceId)
    // First the task as the action leaves it, then as the invoice is now: an invoice that has been paid since leaves a
    // completed task, and one that was unposted and posted again since gets a task with its present amount and date.
    if (isOwedAgain(data) && receivable && totalOf(receivable) > 0n) {
      inbox.sync(collectPayment, invoiceId, taskOf(receivable))
    }
    if (isGivenUp(data)) inbox.sync(collectPayment, invoiceId, 'cancelled')
    inbox.sync(collectPayment, invoiceId, desiredTask(receivable))
    if (receivable && data.actionCode === 'trade.apply_payment') tell(inbox, receivable)
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

/** An invoice is owed once it is posted, and again once a payment that had settled some of it is unposted. */
const isOwedAgain = ({ documentType, actionCode }: ActionCompletedData): boolean =>
  actionCode === (documentType === salesInvoice.code ? 'post' : 'unpost')

const isGivenUp = ({ documentType, actionCode }: ActionCompletedData): boolean =>
  documentType === salesInvoice.code && actionCode === 'unpost'

function desiredTask(receivable: Receivable | undefined): DesiredTask {
  if (receivable?.invoice.status !== 'Posted') return 'cancelled'
  return receivable.outstanding > 0n ? taskOf(receivable) : 'completed'
}

const totalOf = ({ invoice }: Receivable): bigint => linesTotal(invoice.payload.fields.lines)

/** Amount and date are those of the invoice, which stay as they are when it is paid in part. */
function taskOf(receivable: Receivable) {
  const { invoice, customerName } = receivable
  const { dueDate } = invoice.payload.fields
  const total = amountOf(totalOf(receivable))
  return {
    ...aboutDocument(invoice, customerName),
    title: `Collect payment for ${invoice.number}`,
    description: `${total} from ${customerName}, due on ${dueDate}.`,
    priority: 'High',
    dueAtUtc: endOfDay(dueDate),
    assignedTo: { roleCode: tradeRoles.clerk },
    // What settles it is done on a payment; nothing on the invoice does, but giving it up.
    primaryActionCode: null,
  } as const
}

/** The last millisecond of a day, in UTC: who pays on the due date pays in time. */
const endOfDay = (day: string): string => `${day}T23:59:59.999Z`

/** Once for each payment that brought the balance to nothing, however many events of its kind are heard of after. */
function tell(inbox: Inbox, receivable: Receivable): void {
  const { invoice, customerName, lastPosting } = receivable
  if (desiredTask(receivable) !== 'completed' || lastPosting?.actionCode !== 'trade.apply_payment') return
  inbox.createNotification(invoiceSettled, {
    ...aboutDocument(invoice, customerName),
    deduplicationKey: `${invoice.id}/${lastPosting.id}`,
    title: `Invoice ${invoice.number} is settled`,
    description: `${customerName} has paid the total of ${amountOf(totalOf(receivable))}.`,
  })
}
