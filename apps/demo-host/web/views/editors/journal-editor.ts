import { html, nothing, type TemplateResult } from 'lit'
import { amountOf, centsOf, sum } from '../../../src/trade/ledger/money.ts'
import { journalFieldsOf } from '../../data/fields.ts'
import { isAmount, tidyAmount } from '../../form/amounts.ts'
import { instructionFor, textField } from '../../form/controls.ts'
import type { Form } from '../../form/form.ts'
import { formatMoney } from '../../format.ts'
import { defineEditor } from './editor.ts'
import { addLineButton, removeLineButton } from './line-buttons.ts'

interface EntryValues {
  readonly [name: string]: string
  readonly account: string
  readonly debit: string
  readonly credit: string
}

interface JournalValues {
  readonly [name: string]: string | readonly EntryValues[]
  readonly entries: readonly EntryValues[]
}

const blankEntry: EntryValues = { account: '', debit: '0.00', credit: '0.00' }

/** The editor of manual journal entries. An entry can be posted when its debit equals its credit. */
export const journalEditor = defineEditor<JournalValues>({
  lineKey: 'account',
  blank: () => ({ entries: [blankEntry, blankEntry] }),
  valuesOf(entry) {
    if (!('number' in entry)) throw new Error('Expected a journal entry')
    return { entries: journalFieldsOf(entry).entries }
  },
  factsOf: ({ entries }) =>
    entries.flatMap(({ account, debit, credit }, index) => [
      { label: `Account, line ${index + 1}`, text: account },
      { label: `Debit, line ${index + 1}`, text: formatMoney(tidyAmount(debit)) },
      { label: `Credit, line ${index + 1}`, text: formatMoney(tidyAmount(credit)) },
    ]),
  bodyOf: ({ entries }) => ({
    fields: {
      entries: entries.map(({ account, debit, credit }) => ({
        account,
        debit: tidyAmount(debit),
        credit: tidyAmount(credit),
      })),
    },
  }),
  form(form) {
    const { values, errors } = form.$state.get()
    const { entries } = values
    const error = errors.get('entries')
    return html`<div class="section">
      <h2>Lines</h2>
      <table class="lines">
        ${head('edited')}
        <tbody>${entries.map((_, index) => editEntry(form, index))}</tbody>
        ${foot(entries, 'edited')}
      </table>
      ${error === undefined ? nothing : html`<p class="field-error">${instructionFor(error)}</p>`}
      ${addLineButton({ form, name: 'entries' }, blankEntry)}
    </div>`
  },
  sheet(entry) {
    if (!('number' in entry)) return html``
    const { entries } = journalFieldsOf(entry)
    return html`<div class="section">
      <h2>Lines</h2>
      <table class="lines read">
        ${head('read')}
        <tbody>
          ${entries.map(
            ({ account, debit, credit }) => html`<tr>
              <td class="whole"><bdi>${account}</bdi></td>
              <td class="number" data-label="Debit">${formatMoney(debit)}</td>
              <td class="number" data-label="Credit">${formatMoney(credit)}</td>
            </tr>`,
          )}
        </tbody>
        ${foot(entries, 'read')}
      </table>
    </div>`
  },
})

/** How a table is used. An editable table has an additional column of buttons. */
type TableUse = 'edited' | 'read'

const head = (use: TableUse): TemplateResult => html`<thead>
  <tr>
    <th scope="col">Account</th>
    <th scope="col" class="number amount">Debit</th>
    <th scope="col" class="number amount">Credit</th>
    ${use === 'edited' ? html`<th class="tool"><span class="visually-hidden">Remove</span></th>` : nothing}
  </tr>
</thead>`

function foot(entries: readonly EntryValues[], use: TableUse): TemplateResult {
  const total = (side: 'debit' | 'credit') => {
    const amounts = entries.map((entry) => tidyAmount(entry[side]))
    return amounts.every(isAmount) ? formatMoney(amountOf(sum(amounts.map(centsOf)))) : '—'
  }
  return html`<tfoot>
    <tr>
      <td class="whole">Total</td>
      <td class="number" data-label="Debit">${total('debit')}</td>
      <td class="number" data-label="Credit">${total('credit')}</td>
      ${use === 'edited' ? html`<td></td>` : nothing}
    </tr>
  </tfoot>`
}

function editEntry(form: Form<JournalValues>, index: number): TemplateResult {
  const { entries } = form.$state.get().values
  const of = `line ${index + 1}`
  const amount = (name: 'debit' | 'credit', label: string) =>
    textField(form, {
      path: `entries.${index}.${name}`,
      label: `${label}, ${of}`,
      isLabelHidden: true,
      isAmount: true,
    })
  return html`<tr>
    <td class="whole" data-label="Account">
      ${textField(form, { path: `entries.${index}.account`, label: `Account, ${of}`, isLabelHidden: true })}
    </td>
    <td class="amount" data-label="Debit">${amount('debit', 'Debit')}</td>
    <td class="amount" data-label="Credit">${amount('credit', 'Credit')}</td>
    <td class="tool">${removeLineButton({ form, name: 'entries', lines: entries }, index)}</td>
  </tr>`
}
