import type { TextChanges } from '@vertical-kit/ui-client/elements'
import { formatsIn } from './format.ts'

const { formatMoney } = formatsIn('de')

/** The vertical's texts of its tasks, actions, reasons and definitions in German, by the codes of the service. */
export const germanTexts: TextChanges = {
  items: {
    'trade.collect_payment.title': ({ number = '' }) => `Zahlung zu ${number} einziehen`,
    'trade.invoice_order.title': ({ number = '' }) => `Auftrag ${number} abrechnen`,
    'trade.total': ({ total = '' }) => `${formatMoney(total)} insgesamt`,
    'trade.invoice_settled.description': ({ amount = '', customer = '' }) =>
      `${customer} hat den Gesamtbetrag von ${formatMoney(amount)} bezahlt.`,
    'trade.write_off_recorded.title': ({ amount = '', number = '' }) =>
      `${formatMoney(amount)} der Rechnung ${number} ausgebucht`,
  },
  service: {
    actions: {
      'trade.apply_payment': {
        label: 'Zahlung zuordnen',
        description: 'Ordnet die Zahlung ihrer Rechnung zu.',
      },
      'trade.write_off': {
        label: 'Ausbuchen',
        description: 'Bucht den offenen Betrag der Rechnung aus.',
        confirmation: {
          title: 'Diese Rechnung ausbuchen?',
          message: 'Der offene Betrag wird als Verlust gebucht. Dies kann nicht rückgängig gemacht werden.',
          confirmLabel: 'Ausbuchen',
        },
      },
      'trade.open_customer': {
        label: 'Kunden öffnen',
        description: 'Zeigt den Kunden der Rechnung.',
      },
      'trade.create_invoice': {
        label: 'Rechnung erstellen',
        description: 'Erstellt einen Rechnungsentwurf mit Kunde, Positionen und Fälligkeit des Auftrags.',
      },
    },
    reasons: {
      'trade.total_too_large': 'Die Summe übersteigt den größten Betrag, den das Hauptbuch speichern kann.',
      'trade.entries_unbalanced': 'Soll und Haben müssen gleich und größer als null sein.',
      'trade.entry_two_sided': 'Jede Zeile muss entweder Soll oder Haben sein.',
      'trade.order_already_invoiced': 'Dieser Auftrag hat bereits eine Rechnung.',
      'trade.order_not_posted': 'Der Auftrag ist nicht gebucht.',
      'trade.invoice_has_settlements': 'Dieser Rechnung sind Zahlungen zugeordnet, oder sie ist ausgebucht.',
      'trade.payment_applied': 'Die Zahlung ist einer Rechnung zugeordnet.',
      'trade.payment_not_posted': 'Die Zahlung ist nicht gebucht.',
      'trade.payment_fully_applied': 'Die Zahlung ist vollständig zugeordnet.',
      'trade.invoice_not_posted': 'Die Rechnung ist nicht gebucht.',
      'trade.invoice_settled': 'Die Rechnung hat keinen offenen Betrag.',
    },
    remedies: {
      'trade.order_not_posted': 'Buchen Sie zuerst den Auftrag.',
      'trade.payment_applied': 'Heben Sie zuerst die Buchung der Zahlung auf.',
      'trade.payment_not_posted': 'Buchen Sie zuerst die Zahlung.',
      'trade.invoice_not_posted': 'Buchen Sie zuerst die Rechnung.',
    },
    definitions: {
      'trade.collect_payment': {
        name: 'Zahlung einziehen',
        description:
          'Eine gebuchte Rechnung ist unbezahlt. Erledigt, sobald sie bezahlt oder ausgebucht ist.',
      },
      'trade.invoice_order': {
        name: 'Auftrag abrechnen',
        description: 'Ein gebuchter Auftrag hat noch keine Rechnung. Erledigt, sobald sie erstellt ist.',
      },
      'trade.invoice_settled': {
        name: 'Rechnung beglichen',
        description: 'Eine Zahlung hat eine Rechnung beglichen.',
      },
      'trade.write_off_recorded': {
        name: 'Ausbuchung erfasst',
        description: 'Der offene Betrag einer Rechnung wurde ausgebucht.',
      },
    },
    roles: { 'trade.clerk': 'Sachbearbeitung', 'trade.viewer': 'Lesezugriff', 'trade.auditor': 'Prüfung' },
    groups: { Receivables: 'Forderungen', Sales: 'Verkauf' },
  },
}
