import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, expect, test } from 'vitest'
import { act, type Document, execute } from '../../actions.ts'
import { type Body, bodyOf, expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { checkBooks, outstandingOf } from '../ledger/check-books.ts'
import { whileLocked } from '../while-locked.ts'
import { draftSales, postedInvoice, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const clerk2 = await host.asRole('clerk2', 'trade.clerk')
afterAll(() => checkBooks(host.database))

/** Returns `200` for a success, or the error code with the codes of the disabled reasons. */
const outcome = async (response: Response): Promise<string> => {
  const body: Body = await bodyOf(response)
  const context = body['context'] as { reasonCodes?: readonly string[] } | undefined
  return response.ok ? '200' : [body.code, ...(context?.reasonCodes ?? [])].join(' ')
}

const outcomes = (responses: readonly Response[]): Promise<readonly string[]> =>
  Promise.all(responses.map(outcome))

const apply = (payment: Document, amount: string, expectedVersion = 2) =>
  execute(clerk, payment, 'trade.apply_payment', { expectedVersion, payload: { amount } })

const writeOff = (invoice: Document) =>
  execute(clerk2, invoice, 'trade.write_off', { expectedVersion: 2, reason: 'Lost' })

test('concurrent requests to create an invoice from the same version of an order create only one invoice', async () => {
  const order = (await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')).document
  const createInvoice = (request: TestRequest) => () =>
    execute(request, order, 'trade.create_invoice', { expectedVersion: 2 })
  const calls = [clerk, clerk2, clerk, clerk2].map(createInvoice)
  expect(await outcomes(await whileLocked(host.database, order, calls))).toEqual([
    '200',
    'documents.version_conflict',
    'documents.version_conflict',
    'documents.version_conflict',
  ])
  const invoices = await host.database.read((db) =>
    db.execute(sql`
      select from document_actions.derived_documents derived
      join trade.documents invoice on invoice.id = derived.created_id
      where derived.source_id = ${order.id}::uuid`),
  )
  expect(invoices).toHaveLength(1)
})

test('when two payments of the full balance are applied concurrently, only the first succeeds', async () => {
  const invoice = await postedInvoice(clerk)
  const one = await postedPayment(clerk, invoice, '25.00')
  const other = await postedPayment(clerk, invoice, '25.00')
  const answers = await whileLocked(host.database, invoice, [
    () => apply(one, '25.00'),
    () => apply(other, '25.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'document_action.unavailable trade.invoice_settled'])
  expect(await outstandingOf(host.database, invoice)).toBe('0.00')
})

test('when two payments together exceed the balance, the second is refused and the error contains the maximum amount', async () => {
  const invoice = await postedInvoice(clerk)
  const one = await postedPayment(clerk, invoice, '20.00')
  const other = await postedPayment(clerk, invoice, '20.00')
  const [first, second] = await whileLocked(host.database, invoice, [
    () => apply(one, '20.00'),
    () => apply(other, '20.00'),
  ])
  expect(first?.status).toBe(200)
  expect(await second?.json()).toMatchObject({
    code: 'trade.amount_too_large',
    context: { maxAmount: '5.00' },
  })
  expect(await outstandingOf(host.database, invoice)).toBe('5.00')
})

test('a payment is refused if a concurrent write-off of the invoice runs first', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => writeOff(invoice),
    () => apply(payment, '10.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'document_action.unavailable trade.invoice_settled'])
  expect(await outstandingOf(host.database, invoice)).toBe('0.00')
})

test('if a concurrent partial payment runs first, a write-off succeeds for the remaining balance', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => apply(payment, '10.00'),
    () => writeOff(invoice),
  ])
  expect(await outcomes(answers)).toEqual(['200', '200'])
  expect(await outstandingOf(host.database, invoice)).toBe('0.00')
  const lost = await host.database.read((db) =>
    db.execute(sql`
      select e.debit
      from trade.posting_entries e
      join trade.postings p on p.id = e.posting_id
      where p.document_id = ${invoice.id}::uuid and e.account = '6900 Bad debts'`),
  )
  expect(lost).toEqual([{ debit: '15.00' }])
})

test('a payment is refused if a concurrent unposting of the invoice runs first', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => execute(clerk2, invoice, 'unpost', { expectedVersion: 2 }),
    () => apply(payment, '10.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'document_action.unavailable trade.invoice_not_posted'])
})

test('unposting an invoice is refused if a concurrent payment of the invoice runs first', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => apply(payment, '10.00'),
    () => execute(clerk2, invoice, 'unpost', { expectedVersion: 2 }),
  ])
  expect(await outcomes(answers)).toEqual([
    '200',
    'document_action.unavailable trade.invoice_has_settlements',
  ])
  expect(await outstandingOf(host.database, invoice)).toBe('15.00')
})

test('a payment of the full balance succeeds if a concurrent unposting of another payment runs first', async () => {
  const invoice = await postedInvoice(clerk)
  const one = await postedPayment(clerk, invoice, '25.00')
  const other = await postedPayment(clerk, invoice, '25.00')
  await expectAnswer(apply(one, '20.00'), 200)
  const answers = await whileLocked(host.database, invoice, [
    () => execute(clerk2, one, 'unpost', { expectedVersion: 3 }),
    () => apply(other, '25.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', '200'])
  expect(await outstandingOf(host.database, invoice)).toBe('0.00')
})

test('posting a draft is refused if a concurrent edit of the draft runs first', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const { fields } = invoice.payload
  const answers = await whileLocked(host.database, invoice, [
    () =>
      clerk('PUT', `/api/documents/trade.sales_invoice/${invoice.id}`, {
        body: { fields: { ...fields, dueDate: '2027-12-31' } },
      }),
    () => execute(clerk2, invoice, 'post', { expectedVersion: 1 }),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'documents.version_conflict'])
})

test('edits and deletions of a draft are refused if a concurrent posting of the draft runs first', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const path = `/api/documents/trade.sales_invoice/${invoice.id}`
  const answers = await whileLocked(host.database, invoice, [
    () => execute(clerk2, invoice, 'post', { expectedVersion: 1 }),
    () => clerk('PUT', path, { body: { fields: { ...invoice.payload.fields, dueDate: '2027-12-31' } } }),
    () => clerk('DELETE', path),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'documents.not_draft', 'documents.not_draft'])
  const { payload } = await expectAnswer(clerk('GET', path), 200)
  expect(payload).toEqual(invoice.payload)
})
