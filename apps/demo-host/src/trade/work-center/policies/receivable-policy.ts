import type { Db } from '@vertical-kit/core-audit/database'
import { actionCompleted } from '@vertical-kit/document-actions'
import { definePolicy, type Inbox } from '@vertical-kit/work-center'
import { customerPayment, salesInvoice } from '../../documents/document-types.ts'
import { salesFieldsOf } from '../../documents/fields.ts'
import { amountOf, linesTotal } from '../../ledger/money.ts'
import { tradeRoles } from '../../roles.ts'
import { aboutDocument } from '../about-document.ts'
import { type ActionCompleted, ActionCompletedData } from '../action-completed.ts'
import { collectPayment, invoiceSettled } from '../definitions.ts'
import { findPaidInvoice } from '../queries/find-paid-invoice.ts'
import { lockReceivable, type Receivable } from '../queries/lock-receivable.ts'
import { followDocument, type Need, type Turn } from '../task-steps.ts'

/**
 * While something is owed on a posted invoice, its payment is to be collected; when a payment has settled it, viewers and
 * auditors are told. It goes by the balance under the invoice's lock, not by which event came: events about the invoice
 * and events about its payments are handled in any order, some at the same time.
 */
export const receivablePolicy = definePolicy({
  eventType: actionCompleted.type,
  data: ActionCompletedData,
  async handle(inbox, event, tx) {
    const invoiceId = await concernedInvoice(tx, event)
    if (invoiceId === undefined) return
    const receivable = await lockReceivable(tx, invoiceId)
    followDocument(inbox, {
      definition: collectPayment,
      deduplicationKey: invoiceId,
      turn: turnOf(event.data),
      need: receivable === undefined ? 'gone' : needOf(receivable),
      task: receivable && taskOf(receivable),
    })
    if (receivable !== undefined && event.data.actionCode === 'trade.apply_payment') tell(inbox, receivable)
  },
})

async function concernedInvoice(
  db: Db,
  { data, causationId: executionId }: ActionCompleted,
): Promise<string | undefined> {
  const { documentType, documentId } = data
  if (documentType === salesInvoice.code) return documentId
  if (documentType !== customerPayment.code || executionId === null) return undefined
  return findPaidInvoice(db, { paymentId: documentId, executionId })
}

/** Of an invoice, posting begins it and unposting ends it; what a payment had settled is owed again once it is unposted. */
function turnOf({ documentType, actionCode }: ActionCompleted['data']): Turn {
  const isInvoice = documentType === salesInvoice.code
  if (actionCode === 'unpost') return isInvoice ? 'ends' : 'begins'
  return isInvoice && actionCode === 'post' ? 'begins' : 'goes on'
}

function needOf({ invoice, outstanding }: Receivable): Need {
  if (invoice.status !== 'Posted') return 'gone'
  return outstanding > 0n ? 'open' : 'met'
}

const totalOf = ({ invoice }: Receivable): bigint => linesTotal(salesFieldsOf(invoice).lines)

/** Amount and date are those of the invoice, which stay as they are when it is paid in part. */
function taskOf(receivable: Receivable) {
  const { invoice, customerName } = receivable
  const { dueDate } = salesFieldsOf(invoice)
  const total = totalOf(receivable)
  // An invoice over nothing is owed by nobody.
  if (total === 0n) return undefined
  return {
    ...aboutDocument(invoice, customerName),
    title: `Collect payment for ${invoice.number}`,
    description: `Invoice over ${amountOf(total)} to ${customerName}, due on ${dueDate}.`,
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
  if (needOf(receivable) !== 'met' || lastPosting?.actionCode !== 'trade.apply_payment') return
  inbox.createNotification(invoiceSettled.code, {
    ...aboutDocument(invoice, customerName),
    deduplicationKey: `${invoice.id}/${lastPosting.id}`,
    title: `Invoice ${invoice.number} is settled`,
    description: `${customerName} has nothing left to pay. The invoice was over ${amountOf(totalOf(receivable))}.`,
  })
}
