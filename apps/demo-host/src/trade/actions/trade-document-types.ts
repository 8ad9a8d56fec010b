import type { DocumentType } from '@vertical-kit/document-actions'
import { customerPaymentActions } from './customer-payment.ts'
import { journalEntryActions } from './journal-entry.ts'
import { customerTarget, salesInvoiceActions } from './sales-invoice.ts'
import { salesOrderActions } from './sales-order.ts'

/** The document types of the vertical with their actions, for `createDocumentActions`. */
export const tradeDocumentTypes: readonly DocumentType[] = [
  salesOrderActions,
  salesInvoiceActions,
  customerPaymentActions,
  journalEntryActions,
]

/** The codes of the navigation targets that the vertical's actions return. */
export const tradeNavigationTargets: readonly string[] = [customerTarget]

/** The permissions of the vertical's actions. Creating a document requires the `create` permission of its type. */
export const tradeActionPermissions: readonly string[] = [
  ...new Set(
    tradeDocumentTypes.flatMap(({ typeCode, actions }) =>
      actions.flatMap((action) =>
        'permission' in action ? [`document.${typeCode}.${action.permission}`] : [],
      ),
    ),
  ),
]
