import { documentType } from '@vertical-kit/document-actions'
import { salesInvoice } from '../documents/document-types.ts'
import { invoicePosting } from '../ledger/posting-rules.ts'
import { bookedLifecycle, bookedType } from './booked-lifecycle.ts'
import { writeOff } from './commands/write-off.ts'
import { invoiceReversalReasons, writeOffReasons } from './policy.ts'
import { loadInvoiceFacts } from './queries/load-invoice-facts.ts'

/** The code of the navigation target that shows a customer. Its parameter is `customerId`. */
export const customerTarget = 'trade.customer'

/** The actions of sales invoices. */
export const salesInvoiceActions = documentType({
  ...bookedType(salesInvoice),
  loadFacts: loadInvoiceFacts,
  actions: ({ lifecycle, command, navigation }) => [
    ...lifecycle(bookedLifecycle({ postingOf: invoicePosting, unpostReasons: invoiceReversalReasons })),
    command({
      code: 'trade.write_off',
      label: 'Write off',
      description: 'Writes off the open balance of the invoice.',
      icon: 'write-off',
      kind: 'Dangerous',
      order: 110,
      permission: 'write_off',
      confirmation: {
        mode: 'RequireReason',
        title: 'Write this invoice off?',
        message: 'The open balance is recorded as a loss. This cannot be undone.',
        confirmLabel: 'Write off',
      },
      disabledReasons: writeOffReasons,
      handle: writeOff,
    }),
    navigation({
      code: 'trade.open_customer',
      label: 'Open customer',
      description: 'Shows the customer of the invoice.',
      icon: 'customer',
      kind: 'Secondary',
      order: 130,
      permission: 'open_customer',
      targetCode: customerTarget,
      parametersOf: ({ payload }) => ({ customerId: payload.fields.customerId }),
    }),
  ],
})
