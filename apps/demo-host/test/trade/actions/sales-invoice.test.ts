import { expect, test } from 'vitest'
import { act, editorState, effects, entriesInShort, execute, reasons } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draftSales, postedInvoice, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

test('posting an invoice debits receivables, credits revenue and records the sold quantities', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    lines: [
      { ...fields.lines[0], quantity: 1.5, unitPrice: '0.33' },
      { ...fields.lines[0], quantity: 0.125, unitPrice: '100.00' },
    ],
  }))
  expect(await effects(clerk, invoice)).toEqual({ accountingEntries: [], registerMovements: [] })
  const { document } = await act(clerk, invoice, 'post')
  expect(document.status).toBe('Posted')
  const { accountingEntries, registerMovements } = await effects(clerk, invoice)
  const postedAtUtc = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  // Each line is rounded separately. The amount 0.495 is rounded up.
  expect(accountingEntries).toEqual([
    { account: '1200 Receivables', debit: '13.00', credit: '0.00', postedAtUtc },
    { account: '4000 Revenue', debit: '0.00', credit: '13.00', postedAtUtc },
  ])
  const { lines } = invoice.payload.fields as { lines: readonly { itemId: string }[] }
  expect(registerMovements).toEqual([
    { register: 'trade.sold_items', itemId: lines[0]?.itemId, quantity: '1.625', postedAtUtc },
  ])
})

test('unposting an invoice removes its effects, and posting the invoice again writes the effects once', async () => {
  const invoice = await postedInvoice(clerk)
  const entries = ['1200 Receivables 25.00 0.00', '4000 Revenue 0.00 25.00']
  expect(await entriesInShort(clerk, invoice)).toEqual(entries)
  const { document } = await act(clerk, invoice, 'repost')
  expect(document.status).toBe('Posted')
  expect(await entriesInShort(clerk, invoice)).toEqual(entries)
  await act(clerk, invoice, 'unpost')
  expect(await effects(clerk, invoice)).toEqual({ accountingEntries: [], registerMovements: [] })
  await act(clerk, invoice, 'post')
  expect(await entriesInShort(clerk, invoice)).toEqual(entries)
})

test('an invoice with a total of zero is posted without entries and has no open balance', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    lines: [{ ...fields.lines[0], unitPrice: '0.00' }],
  }))
  await act(clerk, invoice, 'post')
  const { accountingEntries, registerMovements } = await effects(clerk, invoice)
  expect([accountingEntries, registerMovements.length]).toEqual([[], 1])
  expect((await reasons(clerk, invoice))['trade.write_off']).toEqual(['trade.invoice_settled'])
  await act(clerk, invoice, 'unpost')
})

test('an invoice with a total above the limit of the books cannot be posted', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...fields,
    lines: [{ ...fields.lines[0], quantity: 1_000_000_000, unitPrice: '9999999999999.99' }],
  }))
  expect((await reasons(clerk, invoice))['post']).toEqual(['trade.total_too_large'])
  const refusal = await expectAnswer(
    execute(clerk, invoice, 'post', { expectedVersion: 1 }),
    409,
    'document_action.unavailable',
  )
  expect(refusal['context']).toEqual({ reasonCodes: ['trade.total_too_large'] })
})

test('a write-off requires a reason, closes the open balance and cannot be undone', async () => {
  const invoice = await postedInvoice(clerk)
  await act(clerk, await postedPayment(clerk, invoice, '10.00'), 'trade.apply_payment', {
    payload: { amount: '10.00' },
  })
  await expectAnswer(
    execute(clerk, invoice, 'trade.write_off', { expectedVersion: 2 }),
    400,
    'document_action.reason_required',
  )
  const { actions } = await act(clerk, invoice, 'trade.write_off', { reason: 'Insolvent' })
  expect(actions.filter(({ isAllowed }) => isAllowed).map(({ code }) => code)).toEqual([
    'trade.open_customer',
  ])
  expect(await entriesInShort(clerk, invoice)).toEqual([
    '1200 Receivables 25.00 0.00',
    '4000 Revenue 0.00 25.00',
    '6900 Bad debts 15.00 0.00',
    '1200 Receivables 0.00 15.00',
  ])
  expect(await reasons(clerk, invoice)).toMatchObject({
    unpost: ['trade.invoice_has_settlements'],
    repost: ['trade.invoice_has_settlements'],
    'trade.write_off': ['trade.invoice_settled'],
  })
  const timeline = `/api/audit/events?kind=Document&typeCode=trade.sales_invoice&objectId=${invoice.id}`
  const { items } = await expectAnswer(clerk('GET', timeline), 200)
  expect(items.map((event) => [event['actionCode'], event['changes']])).toMatchObject([
    ['trade.write_off', [{ fieldPath: 'outstanding', oldValue: '15.00', newValue: '0.00' }]],
    ['trade.payment_applied', [{ fieldPath: 'outstanding', oldValue: '25.00', newValue: '15.00' }]],
    ['post', [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }]],
    ['documents.created', [{}, {}, {}]],
  ])
  expect(items[0]?.['metadata']).toMatchObject({ reason: 'Insolvent' })
})

test('for a draft invoice, the write-off is disabled with a reason and opening the customer is enabled', async () => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  expect((await reasons(clerk, invoice))['trade.write_off']).toEqual(['trade.invoice_not_posted'])
  const { actions } = await editorState(clerk, invoice)
  const { customerId } = invoice.payload.fields
  expect(actions.find(({ code }) => code === 'trade.open_customer')).toMatchObject({
    isAllowed: true,
    executionKind: 'Navigation',
    target: { code: 'trade.customer', parameters: { customerId } },
  })
  await expectAnswer(
    execute(clerk, invoice, 'trade.open_customer', { expectedVersion: 1 }),
    404,
    'document_action.not_found',
  )
})
