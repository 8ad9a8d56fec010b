import type { Document } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import { amountOf, linesTotal } from '../../../src/trade/ledger/money.ts'
import type { Desk } from '../../data/desk.ts'
import { paymentFieldsOf, salesFieldsOf } from '../../data/fields.ts'
import { tidyAmount } from '../../form/amounts.ts'
import { readField, textField } from '../../form/controls.ts'
import { formatMoney } from '../../format.ts'
import type { FindChoices } from '../picker-choices.ts'
import { defineEditor } from './editor.ts'
import { pickerField } from './picker-field.ts'

interface PaymentValues {
  readonly [name: string]: string
  readonly invoiceId: string
  readonly amount: string
}

/** The editor of customer payments. Each payment pays one invoice. */
export const paymentEditor = defineEditor<PaymentValues>({
  blank: (query) => ({
    invoiceId: query.get('invoice') ?? '',
    amount: tidyAmount(query.get('amount') ?? ''),
  }),
  valuesOf(entry) {
    if (!('number' in entry)) throw new Error('Expected a payment')
    const { invoiceId, amount } = paymentFieldsOf(entry)
    return { invoiceId, amount }
  },
  factsOf({ invoiceId, amount }, desk) {
    const invoice = desk.invoices.find(invoiceId)
    return [
      { label: 'Invoice', text: invoice ? nameOfInvoice(invoice, desk) : invoiceId },
      { label: 'Amount', text: formatMoney(tidyAmount(amount)) },
    ]
  },
  bodyOf: ({ invoiceId, amount }) => ({ fields: { invoiceId, amount: tidyAmount(amount) } }),
  form(form, desk) {
    const { invoiceId } = form.$state.get().values
    const invoice = desk.invoices.find(invoiceId)
    return html`<div class="section fields">
      ${pickerField(form, {
        path: 'invoiceId',
        label: 'Invoice',
        placeholder: 'Choose a posted invoice',
        text: invoice === null ? invoiceId : invoice === undefined ? '' : nameOfInvoice(invoice, desk),
        find: findInvoices(desk),
      })}
      ${textField(form, { path: 'amount', label: 'Amount', isAmount: true })}
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

/** Returns the number of an invoice and the name of its customer. */
function nameOfInvoice(invoice: Document, { customers }: Desk): string {
  const { number } = invoice
  const customer = customers.find(salesFieldsOf(invoice).customerId)
  return customer ? `${number} · ${customer.name}` : number
}

/** Returns the search for posted invoices by number or customer. */
function findInvoices(desk: Desk): FindChoices {
  return async (text, signal) => {
    const query = { q: text.trim(), status: 'Posted' }
    const { items, hasMore } = await desk.invoices.search(query, signal)
    await desk.customers.load(items.map((invoice) => salesFieldsOf(invoice).customerId))
    const choices = items.map((invoice) => ({
      value: invoice.id,
      label: nameOfInvoice(invoice, desk),
      hint: formatMoney(amountOf(linesTotal(salesFieldsOf(invoice).lines))),
    }))
    return { choices, hasMore }
  }
}

function invoiceLink(id: string, desk: Desk): TemplateResult | string {
  const invoice = desk.invoices.find(id)
  if (!invoice) return ''
  const total = formatMoney(amountOf(linesTotal(salesFieldsOf(invoice).lines)))
  return html`<a href="/sales-invoices/${id}">${invoice.number}</a> <span class="muted">(total ${total})</span>`
}
