import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { loadOverview } from '../../src/trade/receivables/queries/load-overview.ts'
import { act, type Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draft, draftSales, postedInvoice, postedPayment } from './actions/documents.ts'
import { openTradeHost } from './harness.ts'
import { scannedWhole } from './scanned-whole.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const balanceOf = ({ id }: Document) =>
  expectAnswer(clerk('GET', `/api/documents/trade.sales_invoice/${id}/balance`), 200)

test('the balance of an invoice follows its posting, its payments and its write-off', async () => {
  const none = { unappliedAmount: '0.00', unappliedPaymentId: null }
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  expect(await balanceOf(draft)).toEqual({ paidAmount: '0.00', outstandingAmount: '0.00', ...none })
  const { document: invoice } = await act(clerk, draft, 'post')
  const open = { paidAmount: '0.00', outstandingAmount: '25.00' }
  expect(await balanceOf(invoice)).toEqual({ ...open, ...none })
  const payment = await postedPayment(clerk, invoice, '10.00')
  const unappliedPaymentId = payment.id
  expect(await balanceOf(invoice)).toEqual({ ...open, unappliedAmount: '10.00', unappliedPaymentId })
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '6.00' } })
  const partly = { paidAmount: '6.00', outstandingAmount: '19.00' }
  expect(await balanceOf(invoice)).toEqual({ ...partly, unappliedAmount: '4.00', unappliedPaymentId })
  const second = await postedPayment(clerk, invoice, '3.00')
  expect(await balanceOf(invoice)).toEqual({ ...partly, unappliedAmount: '7.00', unappliedPaymentId })
  await act(clerk, payment, 'unpost')
  const other = { unappliedAmount: '3.00', unappliedPaymentId: second.id }
  expect(await balanceOf(invoice)).toEqual({ ...open, ...other })
  await act(clerk, invoice, 'trade.write_off', { reason: 'Lost' })
  expect(await balanceOf(invoice)).toEqual({ paidAmount: '0.00', outstandingAmount: '0.00', ...other })
})

test('a balance contains unapplied money only for users who may view payments', async () => {
  const invoice = await postedInvoice(clerk)
  await postedPayment(clerk, invoice, '10.00')
  const uploader = await host.asRole('uploader', 'trade.uploader')
  const path = `/api/documents/trade.sales_invoice/${invoice.id}/balance`
  expect(await expectAnswer(uploader('GET', path), 200)).toEqual({
    ...{ paidAmount: '0.00', outstandingAmount: '25.00' },
    ...{ unappliedAmount: null, unappliedPaymentId: null },
  })
})

const paymentBalance = (request: TestRequest, { id }: Document) =>
  expectAnswer(request('GET', `/api/documents/trade.customer_payment/${id}/balance`), 200)

test('the balance of a payment contains what is not applied, and what can be applied', async () => {
  const invoice = await postedInvoice(clerk)
  const waiting = await draft(clerk, 'trade.customer_payment', { invoiceId: invoice.id, amount: '20.00' })
  const nothing = { unappliedAmount: '0.00', applicableAmount: '0.00' }
  expect(await paymentBalance(clerk, waiting)).toEqual(nothing)
  const { document: payment } = await act(clerk, waiting, 'post')
  expect(await paymentBalance(clerk, payment)).toEqual({
    unappliedAmount: '20.00',
    applicableAmount: '20.00',
  })
  const other = await postedPayment(clerk, invoice, '15.00')
  await act(clerk, other, 'trade.apply_payment', { payload: { amount: '15.00' } })
  expect(await paymentBalance(clerk, payment)).toEqual({
    unappliedAmount: '20.00',
    applicableAmount: '10.00',
  })
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '10.00' } })
  expect(await paymentBalance(clerk, payment)).toEqual({ unappliedAmount: '10.00', applicableAmount: '0.00' })
  await expectAnswer(
    clerk('GET', `/api/documents/trade.customer_payment/${invoice.id}/balance`),
    404,
    'documents.not_found',
  )
})

test('the balance of a payment reveals nothing of its invoice to users who may neither view nor pay it', async () => {
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '30.00')
  for (const [right, applicableAmount] of [
    ['document.trade.customer_payment.view', null],
    ['document.trade.customer_payment.apply_payment', '25.00'],
    ['document.trade.sales_invoice.view', '25.00'],
  ] as const) {
    const permissions = ['document.trade.customer_payment.view', right]
    const request = await host.as({ subject: right, permissions })
    expect(await paymentBalance(request, payment)).toEqual({ unappliedAmount: '30.00', applicableAmount })
  }
})

test('a document of another type has no balance', async () => {
  const order = await draftSales(clerk, 'trade.sales_order')
  const { id: posted } = await postedInvoice(clerk)
  for (const id of [order.id, 'x', posted.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))]) {
    const path = `/api/documents/trade.sales_invoice/${id}/balance`
    await expectAnswer(clerk('GET', path), 404, 'documents.not_found')
  }
})

const dayFromToday = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('an invoice is overdue when its due date has ended everywhere on Earth', async () => {
  const dueDate = '2090-03-01'
  const draft = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({ ...fields, dueDate }))
  await act(clerk, draft, 'post')
  const overdueAt = async (instant: string) => {
    const { overdue } = await host.database.read((db) => loadOverview(db, sql`${instant}::timestamptz`))
    return overdue[0]?.invoiceCount
  }
  expect([await overdueAt('2090-03-02T11:59:59Z'), await overdueAt('2090-03-02T12:00:00Z')]).toEqual([0, 1])
})

test('the overview contains overdue invoices by age, and payments by month', async () => {
  const before = await expectAnswer(clerk('GET', '/api/receivables'), 200)
  const due = async (days: number) => {
    const draft = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
      ...fields,
      dueDate: dayFromToday(days),
    }))
    return (await act(clerk, draft, 'post')).document
  }
  await due(2)
  const late = await due(-2)
  const older = await due(-45)
  const oldest = await due(-400)
  const paid = await due(-500)
  const payment = await postedPayment(clerk, paid, '25.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  const part = await postedPayment(clerk, late, '5.00')
  await act(clerk, part, 'trade.apply_payment', { payload: { amount: '5.00' } })
  const taken = await postedPayment(clerk, late, '3.00')
  await act(clerk, taken, 'unpost')
  const overview = await expectAnswer(clerk('GET', '/api/receivables'), 200)
  expect(overview['overdue']).toEqual([
    { fromDays: 1, invoiceCount: 1, amount: '20.00' },
    { fromDays: 31, invoiceCount: 1, amount: '25.00' },
    { fromDays: 61, invoiceCount: 1, amount: '25.00' },
  ])
  expect(overview['oldest']).toMatchObject([
    { id: oldest.id, outstandingAmount: '25.00' },
    { id: older.id, dueDate: dayFromToday(-45) },
    { id: late.id, outstandingAmount: '20.00' },
  ])
  const months = (body: typeof overview) => body['received'] as { month: string; amount: string }[]
  expect(months(overview)).toHaveLength(6)
  const received = (body: typeof overview) => Number(months(body).at(-1)?.amount)
  expect(received(overview) - received(before)).toBe(30)
})

/** Writes a posting of a payment at a time, or the reversal of a posting. Returns the id of the posting. */
async function book(documentId: string, posting: { actionCode: string; at: string; reverses?: string }) {
  const { actionCode, at, reverses = null } = posting
  const [row] = await host.database.transaction((tx) =>
    tx.execute<{ id: string }>(sql`
      with posting as (
        insert into trade.postings (
          document_type, document_id, document_number, action_code, execution_id, reverses_id, total, posted_at
        )
        values (
          'trade.customer_payment', ${documentId}::uuid, 'CP', ${actionCode}, ${host.database.newId()}::uuid,
          ${reverses}::bigint, 7, ${at}::timestamptz
        )
        returning id
      ),
      entries as (
        insert into trade.posting_entries (posting_id, line, account, debit, credit)
        select id, line, 'account', 14 - 7 * line, 7 * line - 7
        from posting, generate_series(1, 2) line
      )
      select id::text from posting`),
  )
  return row?.id ?? ''
}

test('a payment stays in the month in which it was first posted', async () => {
  const received = async () => {
    const overview = await host.database.read((db) =>
      loadOverview(db, sql`'2090-04-30T12:00:00Z'::timestamptz`),
    )
    return Object.fromEntries(overview.received.map(({ month, amount }) => [month, amount]))
  }
  const id = host.database.newId()
  const first = await book(id, { actionCode: 'post', at: '2090-01-31T23:59:59Z' })
  expect(await received()).toMatchObject({ '2090-01': '7.00', '2090-03': '0.00' })
  const again = { actionCode: 'repost', at: '2090-03-01T00:00:00Z' }
  await book(id, { ...again, reverses: first })
  const second = await book(id, again)
  expect(await received()).toMatchObject({ '2090-01': '7.00', '2090-03': '0.00' })
  await book(id, { actionCode: 'unpost', at: '2090-03-02T00:00:00Z', reverses: second })
  expect(await received()).toMatchObject({ '2090-01': '0.00', '2090-03': '0.00' })
  await book(id, { actionCode: 'post', at: '2090-04-01T00:00:00Z' })
  expect(await received()).toMatchObject({ '2090-01': '7.00', '2090-04': '0.00' })
})

test('the overview is for users who may view invoices and payments', async () => {
  const uploader = await host.asRole('uploader', 'trade.uploader')
  await expectAnswer(uploader('GET', '/api/receivables'), 403, 'permission.denied')
  const outsider = await host.as({ subject: 'outsider', permissions: [] })
  await expectAnswer(outsider('GET', '/api/receivables'), 404, 'documents.not_found')
})

test('the overview uses indexes', async () => {
  const statements: Parameters<typeof scannedWhole>[1][] = []
  await host.database.read((db) =>
    loadOverview({
      execute(statement) {
        statements.push(statement)
        return db.execute(statement)
      },
    }),
  )
  expect(statements).toHaveLength(3)
  for (const statement of statements) expect(await scannedWhole(host.database, statement)).toEqual([])
})
