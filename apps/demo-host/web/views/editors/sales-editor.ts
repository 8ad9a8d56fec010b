import { html, nothing, type TemplateResult } from 'lit'
import type { CatalogItem } from '../../../src/trade/catalogs/contract.ts'
import { amountOf, linesTotal, lineTotal, type PricedLine, sum } from '../../../src/trade/ledger/money.ts'
import type { Desk } from '../../data/desk.ts'
import { salesFieldsOf } from '../../data/fields.ts'
import { isAmount, maxQuantity, quantityOf, quantityText, tidyAmount } from '../../form/amounts.ts'
import { instructionFor, readField, textField } from '../../form/controls.ts'
import { type Form, valueAt } from '../../form/form.ts'
import { formatDay, formatMoney, formatQuantity } from '../../format.ts'
import { defineEditor } from './editor.ts'
import { addLineButton, removeLineButton } from './line-buttons.ts'
import { findItems, itemName, pickerField } from './picker-field.ts'

interface LineValues {
  readonly [name: string]: string
  readonly itemId: string
  readonly quantity: string
  readonly unitPrice: string
}

interface SalesValues {
  readonly [name: string]: string | readonly LineValues[]
  readonly customerId: string
  readonly dueDate: string
  readonly lines: readonly LineValues[]
}

const blankLine: LineValues = { itemId: '', quantity: '1', unitPrice: '' }

/** The editor of orders and invoices, which have a customer, a due date, and lines with a total. */
export const salesEditor = defineEditor<SalesValues>({
  lineKey: 'itemId',
  blank: (query) => ({ customerId: query.get('customer') ?? '', dueDate: '', lines: [blankLine] }),
  valuesOf(entry) {
    if (!('number' in entry)) throw new Error('Expected an order or an invoice')
    const { customerId, dueDate, lines } = salesFieldsOf(entry)
    return {
      customerId,
      dueDate,
      lines: lines.map(({ itemId, quantity, unitPrice }) => ({
        itemId,
        quantity: quantityText(quantity),
        unitPrice,
      })),
    }
  },
  factsOf: ({ customerId, dueDate, lines }, { customers, items }) => [
    { label: 'Customer', text: itemName(customers, customerId) },
    { label: 'Due date', text: formatDay(dueDate) },
    ...lines.flatMap(({ itemId, quantity, unitPrice }, index) => [
      { label: `Item, line ${index + 1}`, text: itemName(items, itemId) },
      { label: `Quantity, line ${index + 1}`, text: quantity },
      { label: `Price, line ${index + 1}`, text: formatMoney(tidyAmount(unitPrice)) },
    ]),
  ],
  bodyOf: ({ customerId, dueDate, lines }) => ({
    fields: {
      customerId,
      dueDate,
      lines: lines.map(({ itemId, quantity, unitPrice }) => ({
        itemId,
        quantity: quantityOf(quantity),
        unitPrice: tidyAmount(unitPrice),
      })),
    },
  }),
  form: (form, desk) => html`<div class="section">
      <div class="fields">
        ${pickerField(form, {
          path: 'customerId',
          label: 'Customer',
          placeholder: 'Choose a customer',
          text: itemName(desk.customers, form.$state.get().values.customerId),
          find: findItems(desk.customers, (customer) => textOf(customer.fields['city'])),
        })}
        ${textField(form, { path: 'dueDate', label: 'Due date', type: 'date' })}
      </div>
    </div>
    <div class="section">
      <h2>Lines</h2>
      ${lineTable(form, desk)}
    </div>`,
  sheet(entry, desk) {
    if (!('number' in entry)) return html``
    const { customerId, dueDate, lines } = salesFieldsOf(entry)
    const customer = desk.customers.find(customerId)
    const link = customer && html`<a href="/customers/${customerId}"><bdi>${customer.name}</bdi></a>`
    return html`<dl class="section fields">
        ${readField('Customer', link ?? '')} ${readField('Due date', formatDay(dueDate))}
      </dl>
      <div class="section">
        <h2>Lines</h2>
        <table class="lines read">
          ${head('read')}
          <tbody>${lines.map((line) => readLine(line, desk))}</tbody>
          ${foot(amountOf(linesTotal(lines)), 'read')}
        </table>
      </div>`
  },
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the SKU and the price of an item. */
const aboutItem = ({ fields }: CatalogItem): string =>
  [textOf(fields['sku']), formatMoney(textOf(fields['unitPrice']))].filter((part) => part !== '').join(' · ')

/** How a table is used. An editable table has an additional column of buttons. */
type TableUse = 'edited' | 'read'

const head = (use: TableUse): TemplateResult => html`<thead>
  <tr>
    <th scope="col">Item</th>
    <th scope="col" class="number narrow">Quantity</th>
    <th scope="col" class="number amount">Price</th>
    <th scope="col" class="number amount">Amount</th>
    ${use === 'edited' ? html`<th class="tool"><span class="visually-hidden">Remove</span></th>` : nothing}
  </tr>
</thead>`

const foot = (total: string, use: TableUse): TemplateResult => html`<tfoot>
  <tr>
    <td>Total</td>
    <td></td>
    <td></td>
    <td class="number">${formatMoney(total)}</td>
    ${use === 'edited' ? html`<td></td>` : nothing}
  </tr>
</tfoot>`

function readLine(line: PricedLine & { readonly itemId: string }, desk: Desk): TemplateResult {
  const item = desk.items.find(line.itemId)
  return html`<tr>
    <td class="whole"><bdi>${item?.name ?? '—'}</bdi></td>
    <td class="number" data-label="Quantity">${formatQuantity(line.quantity)}</td>
    <td class="number" data-label="Price">${formatMoney(line.unitPrice)}</td>
    <td class="number" data-label="Amount">${formatMoney(amountOf(lineTotal(line)))}</td>
  </tr>`
}

function lineTable(form: Form<SalesValues>, desk: Desk): TemplateResult {
  const { values, errors } = form.$state.get()
  // A line that the user has just added does not count yet.
  const amounts = values.lines.filter(({ itemId, unitPrice }) => itemId + unitPrice !== '').map(amountOfLine)
  const total = amounts.includes(null) ? '—' : amountOf(sum(amounts.map((amount) => amount ?? 0n)))
  const error = errors.get('lines')
  return html`<table class="lines">
      ${head('edited')}
      <tbody>${values.lines.map((_, index) => editLine(form, desk, index))}</tbody>
      ${foot(total, 'edited')}
    </table>
    ${error === undefined ? nothing : html`<p class="field-error">${instructionFor(error)}</p>`}
    ${addLineButton({ form, name: 'lines' }, blankLine)}`
}

function editLine(form: Form<SalesValues>, desk: Desk, index: number): TemplateResult {
  const { lines } = form.$state.get().values
  const path = (name: string) => `lines.${index}.${name}`
  const of = `line ${index + 1}`
  const line = lines[index] ?? blankLine
  const amount = amountOfLine(line)
  const listPrice = (itemId: string) => textOf(desk.items.find(itemId)?.fields['unitPrice'])
  // Suggest the item's list price. Without one, the price of the previous item does not stay.
  const suggestPrice = (itemId: string) => {
    // The user has typed a price after leaving the field of the item.
    if (valueAt(form.$state.get().values, path('unitPrice')) !== line.unitPrice) return
    const price = listPrice(itemId)
    if (price !== '' || tidyAmount(line.unitPrice) === listPrice(line.itemId))
      form.set(path('unitPrice'), price)
  }
  return html`<tr>
    <td class="whole" data-label="Item">
      ${pickerField(form, {
        path: path('itemId'),
        label: `Item, ${of}`,
        isLabelHidden: true,
        placeholder: 'Choose an item',
        text: itemName(desk.items, line.itemId),
        find: findItems(desk.items, aboutItem),
        onChosen: suggestPrice,
      })}
    </td>
    <td class="narrow" data-label="Quantity">
      ${textField(form, { path: path('quantity'), label: `Quantity, ${of}`, isLabelHidden: true, inputmode: 'decimal' })}
    </td>
    <td class="amount" data-label="Price">
      ${textField(form, { path: path('unitPrice'), label: `Price, ${of}`, isLabelHidden: true, isAmount: true })}
    </td>
    <td class="number sum" data-label="Amount">${amount === null ? '—' : formatMoney(amountOf(amount))}</td>
    <td class="tool">${removeLineButton({ form, name: 'lines', lines }, index)}</td>
  </tr>`
}

function amountOfLine({ quantity, unitPrice }: LineValues): bigint | null {
  const [count, price] = [quantityOf(quantity), tidyAmount(unitPrice)]
  // `String` writes larger numbers with an exponent, which cannot be multiplied.
  return typeof count === 'number' && count <= maxQuantity && isAmount(price)
    ? lineTotal({ quantity: count, unitPrice: price })
    : null
}
