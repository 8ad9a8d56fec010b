import { command, documentType, navigation } from '@vertical-kit/document-actions'
import { tradeDocumentStore } from '../documents/document-store.ts'
import { salesInvoice } from '../documents/document-types.ts'
import { salesFieldsOf } from '../documents/fields.ts'
import { invoicePosting } from '../ledger/posting-rules.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { bookedLifecycle } from './booked-lifecycle.ts'
import { writeOff } from './commands/write-off.ts'
import { type InvoiceFacts, invoiceReversalReasons, writeOffReasons } from './policy.ts'
import { loadInvoiceFacts } from './queries/load-invoice-facts.ts'

/** The place of the user interface where a customer is shown. Takes `customerId`. */
export const customerTarget = 'trade.customer'

/** What can be done with sales invoices. */
export const salesInvoiceActions = documentType<InvoiceFacts>({
  typeCode: salesInvoice.code,
  plural: salesInvoice.plural,
  store: tradeDocumentStore,
  loadFacts: loadInvoiceFacts,
  loadEffects,
  actions: [
    ...bookedLifecycle<InvoiceFacts>({ postingOf: invoicePosting, unpostReasons: invoiceReversalReasons }),
    command<InvoiceFacts>({
      code: 'trade.write_off',
      label: 'Write off',
      description: 'Gives up what is still owed on the invoice.',
      icon: 'write-off',
      kind: 'Dangerous',
      order: 110,
      permission: 'write_off',
      confirmation: {
        mode: 'RequireReason',
        title: 'Write this invoice off?',
        message: 'What is still owed becomes a loss. This cannot be undone.',
        confirmLabel: 'Write off',
      },
      disabledReasons: writeOffReasons,
      handle: writeOff,
    }),
    navigation<InvoiceFacts>({
      code: 'trade.open_customer',
      label: 'Open customer',
      description: 'Shows the customer of the invoice.',
      icon: 'customer',
      kind: 'Secondary',
      order: 130,
      permission: 'open_customer',
      targetCode: customerTarget,
      parametersOf: (document) => ({ customerId: salesFieldsOf(document).customerId }),
    }),
  ],
})
