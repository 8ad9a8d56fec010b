import { derivation, documentType } from '@vertical-kit/document-actions'
import { tradeDocumentStore } from '../documents/document-store.ts'
import { salesInvoice, salesOrder } from '../documents/document-types.ts'
import { orderPosting } from '../ledger/posting-rules.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { bookedLifecycle } from './booked-lifecycle.ts'
import { createInvoice } from './commands/create-invoice.ts'
import { createInvoiceReasons, type OrderFacts, orderReversalReasons } from './policy.ts'
import { loadOrderFacts } from './queries/load-order-facts.ts'

/** What can be done with sales orders. */
export const salesOrderActions = documentType<OrderFacts>({
  typeCode: salesOrder.code,
  plural: salesOrder.plural,
  store: tradeDocumentStore,
  loadFacts: loadOrderFacts,
  loadEffects,
  actions: [
    ...bookedLifecycle<OrderFacts>({ postingOf: orderPosting, unpostReasons: orderReversalReasons }),
    derivation<OrderFacts>({
      code: 'trade.create_invoice',
      label: 'Create invoice',
      description: 'Makes a draft invoice for the same customer, with the same lines and due date.',
      icon: 'invoice',
      kind: 'Primary',
      order: 100,
      targetTypeCode: salesInvoice.code,
      disabledReasons: createInvoiceReasons,
      derive: createInvoice,
    }),
  ],
})
