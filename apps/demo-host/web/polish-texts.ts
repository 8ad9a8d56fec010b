import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatsIn } from './format.ts'

const { formatMoney } = formatsIn('pl')

/** The vertical's texts of its tasks and notifications in Polish. Other codes show the texts of the service. */
export const polishTexts: TextChanges = {
  items: {
    'trade.collect_payment.title': ({ number = '' }) => `Pobierz płatność za ${number}`,
    'trade.invoice_order.title': ({ number = '' }) => `Wystaw fakturę do zamówienia ${number}`,
    'trade.total': ({ total = '' }) => `${formatMoney(total)} łącznie`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer}: zapłacono całą kwotę ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `Odpisano ${formatMoney(amount)} z faktury ${number}`,
  },
  service: {
    definitions: {
      'trade.collect_payment': {
        name: 'Pobranie płatności',
        description: 'Zaksięgowana faktura jest nieopłacona. Zakończone po jej opłaceniu lub odpisaniu.',
      },
      'trade.invoice_order': {
        name: 'Zamówienie do zafakturowania',
        description: 'Zaksięgowane zamówienie nie ma jeszcze faktury. Zakończone po jej utworzeniu.',
      },
      'trade.invoice_settled': {
        name: 'Faktura rozliczona',
        description: 'Płatność rozliczyła fakturę.',
      },
      'trade.write_off_recorded': {
        name: 'Odpis',
        description: 'Pozostała kwota faktury została odpisana.',
      },
    },
  },
}
