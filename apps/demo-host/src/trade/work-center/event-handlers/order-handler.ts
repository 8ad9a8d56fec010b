import { actionCompleted } from '@vertical-kit/document-actions'
import { type DesiredTask, on } from '@vertical-kit/work-center'
import { salesInvoice, salesOrder } from '../../documents/document-types.ts'
import { derivedDeleted } from '../../documents/outbox.ts'
import { amountOf, linesTotal } from '../../ledger/money.ts'
import { tradeRoles } from '../../roles.ts'
import { aboutDocument } from '../about-document.ts'
import { invoiceOrder } from '../definitions.ts'
import { findOrder, type OrderToInvoice } from '../queries/find-order.ts'

/**
 * Keeps a task open while a posted order has no invoice. The handler needs no lock: all events of an order have the order
 * as subject and are handled in sequence. A change during the handling of an event creates another event.
 */
export const orderHandler = on(actionCompleted, async (inbox, { data }, tx) => {
  if (data.documentType !== salesOrder.code) return
  const order = await findOrder(tx, data.documentId)
  // First sync the task to the state after the action, then to the current state. `receivableHandler` explains why.
  if (data.actionCode === 'post' && order) inbox.sync(invoiceOrder, data.documentId, taskOf(order))
  if (data.actionCode === 'unpost') inbox.sync(invoiceOrder, data.documentId, 'cancelled')
  inbox.sync(invoiceOrder, data.documentId, desiredTask(order))
})

/** Reopens the task of an order when its draft invoice is deleted. These events have the order as subject, too. */
export const deletedInvoiceHandler = on(derivedDeleted, async (inbox, { data }, tx) => {
  if (data.documentType !== salesOrder.code || data.derivedType !== salesInvoice.code) return
  const order = await findOrder(tx, data.documentId)
  // The order was posted when its invoice was deleted, but it may be unposted now, or have another invoice.
  if (order) inbox.sync(invoiceOrder, data.documentId, taskOf(order))
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
    titleText: { key: 'trade.invoice_order.title', parameters: { number: order.number } },
    description: `${total} in total`,
    descriptionText: { key: 'trade.total', parameters: { total } },
    assignedTo: { roleCode: tradeRoles.clerk },
    primaryActionCode: 'trade.create_invoice',
  } as const
}
