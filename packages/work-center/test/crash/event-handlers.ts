import * as v from 'valibot'
import { on } from '../../src/event-handlers/event-handler.ts'
import { approve, collectPayment, settled } from '../definitions.ts'

/** The business object of the event, with fixed ids. */
export const source = {
  ...{ resourceKind: 'document', resourceCode: 'trade.sales_invoice', title: 'SI-1', subtitle: null },
  entityId: '01920000-0000-7000-8000-000000000001',
}

/** Event handlers that together perform every kind of write. */
export const eventHandlers = [
  on({ type: 'trade.happened', schema: v.object({}) }, (inbox) => {
    inbox.completeTask(collectPayment, 'done')
    inbox.createTask(collectPayment, {
      ...{ deduplicationKey: 'again', title: 'Again', source },
      assignedTo: { roleCode: 'trade.clerk' },
    })
    inbox.createTask(approve, {
      ...{ deduplicationKey: 'new', title: 'New', source },
      assignedTo: { roleCode: 'trade.manager' },
    })
    inbox.createNotification(settled, { deduplicationKey: 'settled', title: 'Settled', source })
  }),
]
