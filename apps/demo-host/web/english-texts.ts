import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatDay, formatMoney } from './format.ts'

/** The texts of tasks and notifications, with amounts and dates in the user's format. Mails contain the service's plain texts. */
export const englishTexts: TextChanges = {
  items: {
    'trade.collect_payment.description': ({ amount = '', customer = '', dueDate = '' }) =>
      `${formatMoney(amount)} from ${customer}, due on ${formatDay(dueDate)}.`,
    'trade.invoice_order.description': ({ amount = '', customer = '' }) =>
      `${customer} ordered for ${formatMoney(amount)}.`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} has paid the total of ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} of invoice ${number} written off`,
  },
}
