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

/** `200`, or the code of the refusal with what it names. */
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

test('of invoices made at once of one version of an order there is one', async () => {
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

test('of two payments that would each pay an invoice, one does', async () => {
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

test('of two payments that together are too much, the second is told what is left to pay', async () => {
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

test('what is written off while a payment waits is not paid any more', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => writeOff(invoice),
    () => apply(payment, '10.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'document_action.unavailable trade.invoice_settled'])
  expect(await outstandingOf(host.database, invoice)).toBe('0.00')
})

test('what is paid while a write-off waits is not written off', async () => {
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

test('an invoice that is unposted while a payment waits is not paid', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const answers = await whileLocked(host.database, invoice, [
    () => execute(clerk2, invoice, 'unpost', { expectedVersion: 2 }),
    () => apply(payment, '10.00'),
  ])
  expect(await outcomes(answers)).toEqual(['200', 'document_action.unavailable trade.invoice_not_posted'])
})

test('an invoice that is paid while its unposting waits stays posted', async () => {
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

test('a payment that is unposted while another waits makes room for it', async () => {
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

test('a draft that is edited while its posting waits is not posted unseen', async () => {
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

test('a draft that is posted while its edit or deletion waits stays as it was posted', async () => {
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
