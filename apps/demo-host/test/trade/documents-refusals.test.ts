import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { type Body, expectAnswer } from '../answers.ts'
import { openTradeHost, salesFields } from './harness.ts'

const invoices = '/api/documents/trade.sales_invoice'
const payments = '/api/documents/trade.customer_payment'
const journal = '/api/documents/general_journal_entry'
const absentId = '019a0000-0000-7000-8000-000000000000'
const entries = [
  { account: '1000', debit: '100.00', credit: '0.00' },
  { account: '4000', debit: '0.00', credit: '90.00' },
]

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const viewer = await host.asRole('viewer', 'trade.viewer')
const uploader = await host.asRole('uploader', 'trade.uploader')

const draftInvoice = async (): Promise<Body> =>
  expectAnswer(clerk('POST', invoices, { body: { fields: await salesFields(clerk) } }), 201)

test('the refusal of an invalid document lists every invalid field', async () => {
  const lines = [{ itemId: 'x', quantity: 0, unitPrice: '1.5' }]
  const sales = await expectAnswer(
    clerk('POST', invoices, { body: { fields: { lines, dueDate: '2026-02-30' } } }),
    400,
    'request.invalid',
  )
  expect(sales.errors.map(({ path }) => path)).toEqual([
    'fields.customerId',
    'fields.dueDate',
    'fields.lines.0.itemId',
    'fields.lines.0.quantity',
    'fields.lines.0.unitPrice',
  ])
  const empty = { ...(await salesFields(clerk)), lines: [] }
  for (const [path, fields] of [
    [invoices, empty],
    [payments, { invoiceId: absentId, amount: '0.00' }],
    [journal, { entries: [] }],
    [journal, { entries: [{ account: ' ', debit: '1', credit: '0.00' }] }],
  ] as const) {
    await expectAnswer(clerk('POST', path, { body: { fields } }), 400, 'request.invalid')
  }
  await expectAnswer(clerk('POST', invoices, { body: {} }), 400, 'request.invalid')
  await expectAnswer(clerk('POST', invoices, { body: '{' }), 400, 'request.malformed')
})

test('a document is refused if a referenced object does not exist or has the wrong type', async () => {
  const fields = await salesFields(clerk)
  const itemId = fields.lines[0]?.itemId ?? ''
  const wrong = {
    ...fields,
    customerId: itemId,
    lines: [
      { itemId, quantity: 1, unitPrice: '1.00' },
      { itemId: absentId, quantity: 1, unitPrice: '1.00' },
    ],
  }
  const refusal = await expectAnswer(
    clerk('POST', invoices, { body: { fields: wrong } }),
    400,
    'request.invalid',
  )
  expect(refusal.errors).toEqual([
    { path: 'fields.customerId', message: 'does not exist' },
    { path: 'fields.lines.1.itemId', message: 'does not exist' },
  ])
  const draft = await draftInvoice()
  await expectAnswer(
    clerk('PUT', `${invoices}/${draft.id}`, { body: { fields: wrong } }),
    400,
    'request.invalid',
  )
  const payment = { fields: { invoiceId: fields.customerId, amount: '1.00' } }
  const unpaid = await expectAnswer(clerk('POST', payments, { body: payment }), 400, 'request.invalid')
  expect(unpaid.errors.map(({ path }) => path)).toEqual(['fields.invoiceId'])
})

test('references to hidden objects and to missing objects cause identical refusals', async () => {
  const invoice = await draftInvoice()
  const cashier = await host.as({
    subject: 'cashier',
    permissions: ['document.trade.customer_payment.view', 'document.trade.customer_payment.create'],
  })
  const answers = await Promise.all(
    [invoice.id, absentId].map((invoiceId) =>
      expectAnswer(
        cashier('POST', payments, { body: { fields: { invoiceId, amount: '1.00' } } }),
        400,
        'request.invalid',
      ),
    ),
  )
  expect(answers[0]?.errors).toEqual(answers[1]?.errors)
})

test('an unknown document type, an id of another type and a malformed id cause identical refusals', async () => {
  const invoice = await draftInvoice()
  const paths = [
    '/api/documents/trade.purchase_order',
    `/api/documents/trade.purchase_order/${invoice.id}`,
    `/api/documents/trade.sales_order/${invoice.id}`,
    `${invoices}/${absentId}`,
    `${invoices}/1`,
  ]
  const answers = await Promise.all(
    paths.map((path) => expectAnswer(clerk('GET', path), 404, 'documents.not_found')),
  )
  expect(new Set(answers.map((body) => body['detail'])).size).toBe(1)
  const body = { fields: await salesFields(clerk) }
  for (const path of [`/api/documents/trade.sales_order/${invoice.id}`, `${invoices}/${absentId}`]) {
    await expectAnswer(clerk('PUT', path, { body }), 404, 'documents.not_found')
    await expectAnswer(clerk('DELETE', path), 404, 'documents.not_found')
  }
})

test('a document type is hidden from callers without the view permission', async () => {
  const entry = await expectAnswer(clerk('POST', journal, { body: { fields: { entries } } }), 201)
  await expectAnswer(uploader('GET', journal), 404, 'documents.not_found')
  await expectAnswer(uploader('POST', journal, { body: {} }), 404, 'documents.not_found')
  for (const method of ['GET', 'PUT', 'DELETE']) {
    await expectAnswer(uploader(method, `${journal}/${entry.id}`), 404, 'documents.not_found')
  }
  await expectAnswer(uploader('GET', invoices), 200)
})

test('a change by a viewer is refused before validation, and the error contains the missing permission', async () => {
  const refusals = await Promise.all([
    expectAnswer(viewer('POST', journal, { body: 'not json' }), 403, 'permission.denied'),
    expectAnswer(viewer('PUT', `${journal}/${absentId}`, { body: {} }), 403, 'permission.denied'),
    expectAnswer(viewer('DELETE', `${journal}/${absentId}`), 403, 'permission.denied'),
  ])
  expect(refusals.map((body) => body['context'])).toEqual(
    ['create', 'edit', 'delete'].map((action) => ({
      permission: `document.general_journal_entry.${action}`,
    })),
  )
})

test('a refused request of a new user creates no user record', async () => {
  const admin = await host.as({ subject: 'new-admin', roles: ['platform-admin'] })
  await expectAnswer(
    admin('POST', payments, { body: { fields: { invoiceId: absentId, amount: '1.00' } } }),
    400,
    'request.invalid',
  )
  await expectAnswer(
    admin('PUT', `${journal}/${absentId}`, { body: { fields: { entries } } }),
    404,
    'documents.not_found',
  )
  const rows = await host.database.read((db) =>
    db.execute(sql`select from core_audit.users where subject = 'new-admin'`),
  )
  expect(rows).toHaveLength(0)
  await expectAnswer(admin('POST', journal, { body: { fields: { entries } } }), 201)
})
