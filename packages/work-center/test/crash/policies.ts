import * as v from 'valibot'
import { definePolicy } from '../../src/policies/policy.ts'
import { approve, collectPayment, settled } from '../definitions.ts'

/** What the event of this test is about: ids that the test knows. */
export const source = {
  ...{ resourceKind: 'document', resourceCode: 'trade.sales_invoice', title: 'SI-1', subtitle: null },
  entityId: '01920000-0000-7000-8000-000000000001',
}

/** Writes one of everything. */
export const policies = [
  definePolicy({
    eventType: 'trade.happened',
    data: v.object({}),
    handle(inbox) {
      inbox.completeTask(collectPayment.code, 'done')
      inbox.createTask(collectPayment.code, {
        ...{ deduplicationKey: 'again', title: 'Again', source },
        assignedTo: { roleCode: 'trade.clerk' },
      })
      inbox.createTask(approve.code, {
        ...{ deduplicationKey: 'new', title: 'New', source },
        assignedTo: { roleCode: 'trade.manager' },
      })
      inbox.createNotification(settled.code, { deduplicationKey: 'told', title: 'Told', source })
    },
  }),
]
