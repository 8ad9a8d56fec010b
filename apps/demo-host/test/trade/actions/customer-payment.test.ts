import { expect, test } from 'vitest'
import { act, type Document, editorState, entriesInShort, execute, reasons } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draft, draftSales, postedInvoice, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const apply = (payment: Document, amount: string) =>
  act(clerk, payment, 'trade.apply_payment', { payload: { amount } })

const attempt = async (payment: Document, payload: unknown) => {
  const { documentVersion: expectedVersion } = await editorState(clerk, payment)
  return execute(clerk, payment, 'trade.apply_payment', { expectedVersion, payload })
}

test('a posted payment is a customer advance, and applying it moves the amount to receivables', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '30.00')
  const received = ['1000 Bank 30.00 0.00', '2100 Customer advances 0.00 30.00']
  expect(await entriesInShort(clerk, payment)).toEqual(received)
  await apply(payment, '10.00')
  const { actions, workCenterMayChange } = await apply(payment, '15.00')
  expect(workCenterMayChange).toBe(true)
  expect(await entriesInShort(clerk, payment)).toEqual([
    ...received,
    '2100 Customer advances 10.00 0.00',
    '1200 Receivables 0.00 10.00',
    '2100 Customer advances 15.00 0.00',
    '1200 Receivables 0.00 15.00',
  ])
  const applying = actions.find(({ code }) => code === 'trade.apply_payment')
  expect(applying?.disabledReasons.map(({ code }) => code)).toEqual(['trade.invoice_settled'])
  expect((await reasons(clerk, invoice))['trade.write_off']).toEqual(['trade.invoice_settled'])
})

test('an amount above the unapplied amount or the open balance is refused, and the error contains the maximum', async () => {
  const invoice = await postedInvoice(clerk)
  const small = await postedPayment(clerk, invoice, '10.00')
  const tooMuch = await expectAnswer(attempt(small, { amount: '10.01' }), 409, 'trade.amount_too_large')
  expect(tooMuch['context']).toEqual({
    maxAmount: '10.00',
    unappliedAmount: '10.00',
    outstandingAmount: '25.00',
  })
  await apply(small, '10.00')
  const large = await postedPayment(clerk, invoice, '100.00')
  const overpaid = await expectAnswer(attempt(large, { amount: '15.01' }), 409, 'trade.amount_too_large')
  expect(overpaid['context']).toEqual({
    maxAmount: '15.00',
    unappliedAmount: '100.00',
    outstandingAmount: '15.00',
  })
  await apply(large, '15.00')
})

test.each([
  ['no payload', undefined],
  ['the payload null', null],
  ['no amount', {}],
  ['the amount zero', { amount: '0.00' }],
  ['a number as amount', { amount: 1 }],
  ['a negative amount', { amount: '-1.00' }],
  ['three decimal places', { amount: '1.000' }],
  ['an exponent', { amount: '1e2' }],
  ['digits that are not ASCII', { amount: '١.٠٠' }],
  ['an amount above the maximum of the books', { amount: '10000000000000.00' }],
  ['a list as payload', ['1.00']],
  ['an unknown field', { amount: '1.00', invoiceId: '019a0000-0000-7000-8000-000000000000' }],
  ['a status', { amount: '1.00', status: 'Draft' }],
])('an attempt to apply a payment with %s is invalid and applies nothing', async (_, payload) => {
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '10.00')
  await expectAnswer(attempt(payment, payload), 400, 'request.invalid')
  expect(await entriesInShort(clerk, payment)).toHaveLength(2)
})

test('the disabled reasons explain why a payment cannot be applied', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const payment = await draft(clerk, 'trade.customer_payment', { invoiceId: invoice.id, amount: '5.00' })
  const why = async () => (await reasons(clerk, payment))['trade.apply_payment']
  expect(await why()).toEqual(['trade.payment_not_posted', 'trade.invoice_not_posted'])
  await act(clerk, payment, 'post')
  expect(await why()).toEqual(['trade.invoice_not_posted'])
  await act(clerk, invoice, 'post')
  expect(await why()).toEqual([])
  await apply(payment, '5.00')
  expect(await why()).toEqual(['trade.payment_fully_applied'])
})

test('a partly paid invoice can be neither unposted nor reposted', async () => {
  const invoice = await postedInvoice(clerk)
  await apply(await postedPayment(clerk, invoice, '0.01'), '0.01')
  for (const code of ['unpost', 'repost']) {
    const refusal = await expectAnswer(
      execute(clerk, invoice, code, { expectedVersion: 2 }),
      409,
      'document_action.unavailable',
    )
    expect(refusal['context']).toEqual({ reasonCodes: ['trade.invoice_has_settlements'] })
  }
})

test('unposting a payment reopens the balance of the invoice and adds an event to the timeline of the invoice', async () => {
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '25.00')
  await apply(payment, '5.00')
  await apply(payment, '20.00')
  expect((await reasons(clerk, payment))['repost']).toEqual(['trade.payment_applied'])
  await act(clerk, payment, 'unpost')
  expect(await entriesInShort(clerk, payment)).toEqual([])
  expect(await reasons(clerk, invoice)).toMatchObject({ unpost: [], repost: [], 'trade.write_off': [] })
  const timeline = `/api/audit/events?kind=Document&typeCode=trade.sales_invoice&objectId=${invoice.id}`
  const { items } = await expectAnswer(clerk('GET', timeline), 200)
  expect(items[0]).toMatchObject({
    actionCode: 'trade.payment_released',
    metadata: { paymentId: payment.id },
    changes: [{ fieldPath: 'outstanding', oldValue: '0.00', newValue: '25.00' }],
  })
  await act(clerk, payment, 'post')
  await apply(payment, '25.00')
  expect((await reasons(clerk, invoice))['trade.write_off']).toEqual(['trade.invoice_settled'])
})
