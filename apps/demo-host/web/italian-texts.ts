import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatsIn } from './format.ts'

const { formatMoney } = formatsIn('it')

/** The vertical's texts of its tasks and notifications in Italian. Other codes show the texts of the service. */
export const italianTexts: TextChanges = {
  items: {
    'trade.collect_payment.title': ({ number = '' }) => `Incassare il pagamento di ${number}`,
    'trade.invoice_order.title': ({ number = '' }) => `Fatturare l’ordine ${number}`,
    'trade.total': ({ total = '' }) => `${formatMoney(total)} in totale`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} ha pagato il totale di ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} della fattura ${number} stornati come perdita`,
  },
  service: {
    definitions: {
      'trade.collect_payment': {
        name: 'Incasso',
        description: 'Una fattura registrata non è pagata. Completata quando è pagata o stornata.',
      },
      'trade.invoice_order': {
        name: 'Ordine da fatturare',
        description: 'Un ordine registrato non ha ancora una fattura. Completata quando la fattura è creata.',
      },
      'trade.invoice_settled': {
        name: 'Fattura saldata',
        description: 'Un pagamento ha saldato una fattura.',
      },
      'trade.write_off_recorded': {
        name: 'Storno registrato',
        description: 'L’importo residuo di una fattura è stato stornato come perdita.',
      },
    },
  },
}
