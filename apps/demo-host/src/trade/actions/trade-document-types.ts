import type { DocumentType } from '@vertical-kit/document-actions'
import { customerPaymentActions } from './customer-payment.ts'
import { journalEntryActions } from './journal-entry.ts'
import { customerTarget, salesInvoiceActions } from './sales-invoice.ts'
import { salesOrderActions } from './sales-order.ts'

/** Every type of the vertical with what can be done to its documents: for `createDocumentActions`. */
export const tradeDocumentTypes: readonly DocumentType[] = [
  salesOrderActions,
  salesInvoiceActions,
  customerPaymentActions,
  journalEntryActions,
]

/** The places its navigations lead to. */
export const tradeNavigationTargets: readonly string[] = [customerTarget]

/** Every permission on its actions. Derivations go by the `create` of what they make. */
export const tradeActionPermissions: readonly string[] = [
  ...new Set(
    tradeDocumentTypes.flatMap(({ typeCode, actions }) =>
      actions.flatMap((action) =>
        'permission' in action ? [`document.${typeCode}.${action.permission}`] : [],
      ),
    ),
  ),
]
