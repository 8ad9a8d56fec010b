import { actionCompleted } from '@vertical-kit/document-actions'
import { type DesiredTask, on } from '@vertical-kit/work-center'
import { salesOrder } from '../../documents/document-types.ts'
import { amountOf, linesTotal } from '../../ledger/money.ts'
import { tradeRoles } from '../../roles.ts'
import { aboutDocument } from '../about-document.ts'
import { invoiceOrder } from '../definitions.ts'
import { findOrder, type OrderToInvoice } from '../queries/find-order.ts'

/**
 * A posted order is to be invoiced until an invoice is made of it. Every event about an order has the order as its subject,
 * so they are handled one after the other, and whatever is done while one is handled has an event of its own to come:
 * nothing need be locked.
 */
export const orderHandler = on(actionCompleted, async (inbox, { data }, tx) => {
  if (data.documentType !== salesOrder.code) return
  const order = await findOrder(tx, data.documentId)
  // First the task as the action leaves it, then as the order is now: as in the event handler of receivables.
  if (data.actionCode === 'post' && order) inbox.sync(invoiceOrder, data.documentId, taskOf(order))
  if (data.actionCode === 'unpost') inbox.sync(invoiceOrder, data.documentId, 'cancelled')
  inbox.sync(invoiceOrder, data.documentId, desiredTask(order))
})

function desiredTask(found: OrderToInvoice | undefined): DesiredTask {
  if (found?.order.status !== 'Posted') return 'cancelled'
  return found.isInvoiced ? 'completed' : taskOf(found)
}

function taskOf({ order, customerName }: OrderToInvoice) {
  const total = amountOf(linesTotal(order.payload.fields.lines))
  return {
    ...aboutDocument(order, customerName),
    title: `Invoice order ${order.number}`,
    description: `${customerName} ordered for ${total}.`,
    assignedTo: { roleCode: tradeRoles.clerk },
    primaryActionCode: 'trade.create_invoice',
  } as const
}
