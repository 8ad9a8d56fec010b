import { documentType } from '@vertical-kit/document-actions'
import { salesInvoice, salesOrder } from '../documents/document-types.ts'
import { orderPosting } from '../ledger/posting-rules.ts'
import { bookedLifecycle, bookedType } from './booked-lifecycle.ts'
import { createInvoice } from './commands/create-invoice.ts'
import { createInvoiceReasons, orderReversalReasons } from './policy.ts'
import { loadOrderFacts } from './queries/load-order-facts.ts'

/** The actions of sales orders. */
export const salesOrderActions = documentType({
  ...bookedType(salesOrder),
  loadFacts: loadOrderFacts,
  actions: ({ lifecycle, derivation }) => [
    ...lifecycle(bookedLifecycle({ postingOf: orderPosting, unpostReasons: orderReversalReasons })),
    derivation({
      code: 'trade.create_invoice',
      label: 'Create invoice',
      description: 'Creates a draft invoice with the same customer, lines and due date.',
      icon: 'invoice',
      kind: 'Primary',
      order: 100,
      targetTypeCode: salesInvoice.code,
      disabledReasons: createInvoiceReasons,
      derive: createInvoice,
    }),
  ],
})
