import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatsIn } from './format.ts'

const { formatMoney } = formatsIn('es')

/** The vertical's texts of its tasks and notifications in Spanish. Other codes show the texts of the service. */
export const spanishTexts: TextChanges = {
  items: {
    'trade.collect_payment.title': ({ number = '' }) => `Cobrar ${number}`,
    'trade.invoice_order.title': ({ number = '' }) => `Facturar el pedido ${number}`,
    'trade.total': ({ total = '' }) => `${formatMoney(total)} en total`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} ha pagado el total de ${formatMoney(amount)}.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} de la factura ${number} dados por incobrables`,
  },
  service: {
    definitions: {
      'trade.collect_payment': {
        name: 'Cobro',
        description:
          'Una factura contabilizada está pendiente de pago. Termina cuando se paga o se da por incobrable.',
      },
      'trade.invoice_order': {
        name: 'Pedido por facturar',
        description: 'Un pedido contabilizado aún no tiene factura. Termina cuando se crea.',
      },
      'trade.invoice_settled': {
        name: 'Factura saldada',
        description: 'Un pago ha saldado una factura.',
      },
      'trade.write_off_recorded': {
        name: 'Importe incobrable',
        description: 'El importe pendiente de una factura se ha dado por incobrable.',
      },
    },
  },
}
