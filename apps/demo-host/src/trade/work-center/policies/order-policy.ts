import { actionCompleted } from '@vertical-kit/document-actions'
import { definePolicy } from '@vertical-kit/work-center'
import { salesOrder } from '../../documents/document-types.ts'
import { salesFieldsOf } from '../../documents/fields.ts'
import { amountOf, linesTotal } from '../../ledger/money.ts'
import { tradeRoles } from '../../roles.ts'
import { aboutDocument } from '../about-document.ts'
import { ActionCompletedData } from '../action-completed.ts'
import { invoiceOrder } from '../definitions.ts'
import { findOrder, type OrderToInvoice } from '../queries/find-order.ts'
import { followDocument, type Need, type Turn } from '../task-steps.ts'

/**
 * A posted order is to be invoiced until an invoice is made of it. Every event about an order has the order as its subject,
 * so they are handled one after the other, and whatever is done while one is handled has an event of its own to come:
 * nothing need be locked.
 */
export const orderPolicy = definePolicy({
  eventType: actionCompleted.type,
  data: ActionCompletedData,
  async handle(inbox, { data: { documentType, documentId, actionCode } }, tx) {
    if (documentType !== salesOrder.code) return
    const order = await findOrder(tx, documentId)
    followDocument(inbox, {
      definition: invoiceOrder,
      deduplicationKey: documentId,
      turn: turns[actionCode] ?? 'goes on',
      need: order === undefined ? 'gone' : needOf(order),
      task: order && taskOf(order),
    })
  },
})

const turns: Readonly<Record<string, Turn>> = { post: 'begins', unpost: 'ends' }

function needOf({ order, isInvoiced }: OrderToInvoice): Need {
  if (order.status !== 'Posted') return 'gone'
  return isInvoiced ? 'met' : 'open'
}

function taskOf({ order, customerName }: OrderToInvoice) {
  const total = amountOf(linesTotal(salesFieldsOf(order).lines))
  return {
    ...aboutDocument(order, customerName),
    title: `Invoice order ${order.number}`,
    description: `${customerName} ordered for ${total}.`,
    assignedTo: { roleCode: tradeRoles.clerk },
    primaryActionCode: 'trade.create_invoice',
  } as const
}
