import * as v from 'valibot'
import { SalesFields } from '../trade/documents/fields.ts'
import { amountOf, linesTotal } from '../trade/ledger/money.ts'
import type { MadeDocument, SampleClient } from './sample-client.ts'

const counts = { orders: 10, invoices: 36, payments: 8 }

/** The catalog items that sample documents reference. */
export interface SampleCatalogs {
  readonly customerIds: readonly string[]
  readonly items: readonly { readonly id: string; readonly unitPrice: string }[]
}

/**
 * Creates orders (draft, posted, invoiced), invoices (draft, open, partly paid, paid, written off), payments, and journal
 * entries (balanced, unbalanced). Returns the invoices, oldest first.
 */
export async function loadSampleDocuments(
  clerk: SampleClient,
  catalogs: SampleCatalogs,
): Promise<readonly MadeDocument[]> {
  const invoiced = await loadOrders(clerk, catalogs)
  const invoices: MadeDocument[] = []
  for (let index = 0; index < counts.invoices; index += 1) {
    invoices.push(await clerk.draft('trade.sales_invoice', salesFields(catalogs, index)))
  }
  // The newest invoices stay drafts. They appear first in the list, so users quickly find documents to try the actions.
  for (const invoice of [...invoiced.slice(0, 2), ...invoices.slice(0, -6)]) {
    await clerk.act(invoice, 'post')
  }
  await loadPayments(clerk, invoices)
  const lost = invoices[counts.payments]
  if (lost !== undefined) await clerk.act(lost, 'trade.write_off', { reason: 'The customer is insolvent.' })
  await loadJournalEntries(clerk)
  return [...invoiced, ...invoices]
}

/** Creates orders and returns the invoices that were created from them. */
async function loadOrders(clerk: SampleClient, catalogs: SampleCatalogs): Promise<readonly MadeDocument[]> {
  const orders: MadeDocument[] = []
  for (let index = 0; index < counts.orders; index += 1) {
    orders.push(await clerk.draft('trade.sales_order', salesFields(catalogs, index)))
  }
  const posted: MadeDocument[] = []
  for (const order of orders.slice(0, 7)) posted.push((await clerk.act(order, 'post')).document)
  const invoices: MadeDocument[] = []
  for (const order of posted.slice(0, 4)) {
    const { createdDocument } = await clerk.act(order, 'trade.create_invoice')
    if (createdDocument !== null) invoices.push(createdDocument)
  }
  return invoices
}

/** Creates payments of half or all of the balance for the oldest invoices. Some stay drafts, and one is not applied. */
async function loadPayments(clerk: SampleClient, invoices: readonly MadeDocument[]): Promise<void> {
  const payments: { readonly document: MadeDocument; readonly amount: string }[] = []
  for (const [index, invoice] of invoices.slice(0, counts.payments).entries()) {
    const total = linesTotal(v.parse(SalesFields, invoice.payload.fields).lines)
    const amount = amountOf(index % 3 === 0 ? (total + 1n) / 2n : total)
    const document = await clerk.draft('trade.customer_payment', { invoiceId: invoice.id, amount })
    payments.push({ document, amount })
  }
  for (const { document } of payments.slice(0, 6)) await clerk.act(document, 'post')
  for (const { document, amount } of payments.slice(0, 5)) {
    await clerk.act(document, 'trade.apply_payment', { payload: { amount } })
  }
}

async function loadJournalEntries(clerk: SampleClient): Promise<void> {
  const rent = (debit: string, credit: string) => ({
    entries: [
      { account: '6000 Rent', debit, credit: '0.00' },
      { account: '1000 Bank', debit: '0.00', credit },
    ],
  })
  await clerk.act(await clerk.draft('general_journal_entry', rent('100.00', '100.00')), 'post')
  await clerk.act(await clerk.draft('general_journal_entry', rent('200.00', '200.00')), 'post')
  await clerk.draft('general_journal_entry', rent('300.00', '300.00'))
  await clerk.draft('general_journal_entry', rent('400.00', '40.00'))
}

function salesFields({ customerIds, items }: SampleCatalogs, index: number): object {
  const lines = Array.from({ length: 1 + (index % 3) }, (_, line) => {
    const item = items[(index + 3 * line) % items.length]
    return { itemId: item?.id, quantity: 1 + ((index * 7 + line) % 12), unitPrice: item?.unitPrice }
  })
  return { customerId: customerIds[index % customerIds.length], dueDate: dayFromToday(index - 10), lines }
}

const dayMs = 86_400_000

const dayFromToday = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
