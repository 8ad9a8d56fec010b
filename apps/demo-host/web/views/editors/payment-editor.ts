import { html, type TemplateResult } from 'lit'
import { amountOf, linesTotal } from '../../../src/trade/ledger/money.ts'
import type { Desk } from '../../data/desk.ts'
import { paymentFieldsOf, salesFieldsOf } from '../../data/fields.ts'
import { tidyAmount } from '../../form/amounts.ts'
import { choiceField, readField, textField } from '../../form/controls.ts'
import { formatMoney } from '../../format.ts'
import { defineEditor } from './editor.ts'

interface PaymentValues {
  readonly [name: string]: string
  readonly invoiceId: string
  readonly amount: string
}

/** The editor of customer payments. Each payment pays one invoice. */
export const paymentEditor = defineEditor<PaymentValues>({
  needs({ customers, invoices }) {
    customers.load()
    // Reload the invoices, because the user can also pay invoices that were posted after the last load.
    invoices.load({ again: true })
  },
  blank: (query) => ({ invoiceId: query.get('invoice') ?? '', amount: '' }),
  valuesOf(entry) {
    if (!('number' in entry)) throw new Error('Expected a payment')
    const { invoiceId, amount } = paymentFieldsOf(entry)
    return { invoiceId, amount }
  },
  bodyOf: ({ invoiceId, amount }) => ({ fields: { invoiceId, amount: tidyAmount(amount) } }),
  form(form, desk) {
    const { invoiceId } = form.$state.get().values
    const payable = desk.invoices.$items
      .get()
      .filter(({ status, id }) => status === 'Posted' || id === invoiceId)
    return html`<div class="section fields">
      ${choiceField(form, {
        path: 'invoiceId',
        label: 'Invoice',
        choices: payable.map((invoice) => ({
          value: invoice.id,
          label: [invoice.number, desk.customers.find(salesFieldsOf(invoice).customerId)?.name]
            .filter((part) => part !== undefined)
            .join(' · '),
        })),
        placeholder: 'Choose a posted invoice',
      })}
      ${textField(form, { path: 'amount', label: 'Amount', inputmode: 'decimal', tidy: tidyAmount })}
    </div>`
  },
  sheet(entry, desk) {
    if (!('number' in entry)) return html``
    const { invoiceId, amount } = paymentFieldsOf(entry)
    return html`<dl class="section fields">
      ${readField('Invoice', invoiceLink(invoiceId, desk))} ${readField('Amount', formatMoney(amount))}
    </dl>`
  },
})

function invoiceLink(id: string, desk: Desk): TemplateResult | string {
  const invoice = desk.invoices.find(id)
  if (invoice === undefined) return ''
  const total = formatMoney(amountOf(linesTotal(salesFieldsOf(invoice).lines)))
  return html`<a href="/sales-invoices/${id}">${invoice.number}</a> <span class="muted">(total ${total})</span>`
}
