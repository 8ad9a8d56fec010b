import type { Document } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { amountOf, centsOf, linesTotal, sum } from '../../src/trade/ledger/money.ts'
import type { Desk } from '../data/desk.ts'
import type { Entry } from '../data/entries.ts'
import { journalFieldsOf, paymentFieldsOf, salesFieldsOf } from '../data/fields.ts'
import { formatDay, formatDayOf, formatMoney } from '../format.ts'
import type { ListDefinition } from '../lists.ts'
import { statusChip, statusLabel } from './status-chip.ts'

/** One column of a list. On a narrow screen, a row becomes a card, and each column becomes a line of the card. */
export interface Column {
  readonly heading: string
  /** The key by which the list can be sorted. The heading is then a link. */
  readonly sortKey?: string
  /** The position on a card. `corner` is the upper corner of the card. `aside` is the right side of its lines. */
  readonly place?: 'wide' | 'tight' | 'aside' | 'corner' | 'number aside' | 'number corner'
  /** The label before the value on a card, because a card has no column headings. */
  readonly label?: string
  /** Returns an empty text if the entry has no value, or the user may not view it. */
  readonly text: (entry: Entry, desk: Desk) => string
  /** Renders the value of an entry that shows more than its text. */
  readonly render?: (entry: Entry) => TemplateResult | undefined
}

/** Returns the columns of a list, without the first column, which contains the name of the entry. */
export function columnsOf({ typeCode }: ListDefinition): readonly Column[] {
  return columns[typeCode] ?? []
}

/** Returns the heading of the first column. Numbers are in order of creation. */
export const firstColumn = ({ resource }: ListDefinition): Pick<Column, 'heading' | 'sortKey'> =>
  resource === 'document' ? { heading: 'Number', sortKey: 'created' } : { heading: 'Name', sortKey: 'name' }

/** Returns the name of an entry in its list: a document's number, or a catalog item's name. */
export const nameOf = (entry: Entry): string => ('number' in entry ? entry.number : entry.name)

/** Renders the value of an entry in a column. */
export const cellOf = ({ text, render }: Column, entry: Entry, desk: Desk): TemplateResult =>
  render?.(entry) ?? html`<bdi>${text(entry, desk) || '—'}</bdi>`

/** Returns all values of an entry in one line, which tells it from similar entries where there is no list. */
export const summaryOf = (list: ListDefinition, entry: Entry, desk: Desk): string =>
  [list.one, ...columnsOf(list).map(({ text }) => text(entry, desk))]
    .filter((text) => text !== '')
    .join(' · ')

const ofDocument =
  (text: (document: Document, desk: Desk) => string): Column['text'] =>
  (entry, desk) =>
    'number' in entry ? text(entry, desk) : ''

const ofItem =
  (field: string, show = (value: string): string => value): Column['text'] =>
  (entry) => {
    const value = 'fields' in entry ? (entry as CatalogItem).fields[field] : undefined
    return typeof value === 'string' && value !== '' ? show(value) : ''
  }

const status: Column = {
  heading: 'Status',
  place: 'corner',
  text: ofDocument(({ status }) => statusLabel(status)),
  render: (entry) => ('number' in entry ? statusChip(entry.status) : undefined),
}

const sales: readonly Column[] = [
  {
    heading: 'Customer',
    place: 'wide',
    text: ofDocument((document, desk) => desk.customers.find(salesFieldsOf(document).customerId)?.name ?? ''),
  },
  {
    heading: 'Due date',
    sortKey: 'due',
    place: 'tight',
    label: 'Due date',
    text: ofDocument((document) => formatDay(salesFieldsOf(document).dueDate)),
  },
  status,
  {
    heading: 'Total',
    sortKey: 'total',
    place: 'number aside',
    text: ofDocument((document) => formatMoney(amountOf(linesTotal(salesFieldsOf(document).lines)))),
  },
]

const columns: Readonly<Record<string, readonly Column[]>> = {
  'trade.sales_invoice': sales,
  'trade.sales_order': sales,
  'trade.customer_payment': [
    {
      heading: 'Invoice',
      label: 'For',
      text: ofDocument(
        (document, desk) => desk.invoices.find(paymentFieldsOf(document).invoiceId)?.number ?? '',
      ),
    },
    {
      heading: 'Date entered',
      place: 'tight',
      label: 'Date entered',
      text: ofDocument(({ createdAtUtc }) => formatDayOf(createdAtUtc)),
    },
    status,
    {
      heading: 'Amount',
      place: 'number aside',
      text: ofDocument((document) => formatMoney(paymentFieldsOf(document).amount)),
    },
  ],
  general_journal_entry: [
    {
      heading: 'Accounts',
      place: 'wide',
      text: ofDocument((document) =>
        [...new Set(journalFieldsOf(document).entries.map(({ account }) => account))].join(', '),
      ),
    },
    status,
    {
      heading: 'Debit',
      place: 'number aside',
      text: ofDocument((document) => {
        const debits = journalFieldsOf(document).entries.map(({ debit }) => centsOf(debit))
        return formatMoney(amountOf(sum(debits)))
      }),
    },
  ],
  'trade.customer': [
    { heading: 'City', place: 'corner', text: ofItem('city') },
    { heading: 'Email', text: ofItem('email') },
    { heading: 'Phone', place: 'aside', text: ofItem('phone') },
  ],
  'trade.item': [
    { heading: 'SKU', text: ofItem('sku') },
    { heading: 'Unit', place: 'aside', text: ofItem('unit') },
    { heading: 'Price', place: 'number corner', text: ofItem('unitPrice', formatMoney) },
  ],
}
