import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatsIn } from './format.ts'

const { formatMoney } = formatsIn('fr')

/** The vertical's texts of its tasks and notifications in French. Other codes show the texts of the service. */
export const frenchTexts: TextChanges = {
  items: {
    'trade.collect_payment.title': ({ number = '' }) => `Encaisser le paiement de ${number}`,
    'trade.invoice_order.title': ({ number = '' }) => `Facturer la commande ${number}`,
    'trade.total': ({ total = '' }) => `${formatMoney(total)} au total`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} a payé le total de ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} de la facture ${number} passés en perte`,
  },
  service: {
    definitions: {
      'trade.collect_payment': {
        name: 'Encaissement',
        description:
          'Une facture comptabilisée est impayée. Terminé dès qu’elle est payée ou passée en perte.',
      },
      'trade.invoice_order': {
        name: 'Commande à facturer',
        description: 'Une commande comptabilisée n’a pas encore de facture. Terminé dès qu’elle est créée.',
      },
      'trade.invoice_settled': {
        name: 'Facture réglée',
        description: 'Un paiement a réglé une facture.',
      },
      'trade.write_off_recorded': {
        name: 'Passage en perte',
        description: 'Le montant restant dû d’une facture a été passé en perte.',
      },
    },
  },
}
