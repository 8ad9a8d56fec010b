import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatMoney } from './format.ts'

/** The texts of tasks and notifications, with amounts and dates in the user's format. Mails contain the service's plain texts. */
export const englishTexts: TextChanges = {
  items: {
    'trade.total': ({ total = '' }) => `${formatMoney(total)} in total`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} has paid the total of ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} of invoice ${number} written off`,
  },
}
