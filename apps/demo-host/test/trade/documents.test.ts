import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { type Body, expectAnswer } from '../answers.ts'
import { openTradeHost, salesFields } from './harness.ts'

const invoices = '/api/documents/trade.sales_invoice'
const payments = '/api/documents/trade.customer_payment'
const journal = '/api/documents/general_journal_entry'
const entries = [
  { account: '1000', debit: '100.00', credit: '0.00' },
  { account: '4000', debit: '0.00', credit: '90.00' },
]

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')
const viewer = await host.asRole('viewer', 'trade.viewer')

const draftInvoice = async (): Promise<Body> =>
  expectAnswer(clerk('POST', invoices, { body: { fields: await salesFields(clerk) } }), 201)

const storedVersion = (id: string) =>
  host.database.read(async (db) => {
    const rows = await db.execute<{ version: number }>(
      sql`select version from trade.documents where id = ${id}::uuid`,
    )
    return rows[0]?.version
  })

test('requests with the same creation key create one document, also at the same time', async () => {
  const creationKey = crypto.randomUUID()
  const fields = await salesFields(clerk)
  const create = (body: object) => expectAnswer(clerk('POST', invoices, { body }), 201)
  const drafts = await Promise.all(Array.from({ length: 5 }, () => create({ fields, creationKey })))
  expect(new Set(drafts.map(({ id }) => id)).size).toBe(1)
  const [draft] = drafts
  const other = { fields: { ...fields, dueDate: '2027-02-28' }, creationKey }
  await expectAnswer(clerk('POST', invoices, { body: other }), 422, 'documents.creation_conflict')
  await expectAnswer(clerk('PUT', `${invoices}/${draft?.id}`, { body: { fields: other.fields } }), 200)
  expect(await create({ fields, creationKey })).toMatchObject({
    ...{ id: draft?.id, payload: { fields: other.fields } },
  })
  expect((await create({ fields, creationKey: crypto.randomUUID() })).id).not.toBe(draft?.id)
  const audit = `/api/audit/events?kind=Document&typeCode=trade.sales_invoice&objectId=${draft?.id}`
  expect((await expectAnswer(clerk('GET', audit), 200)).items).toHaveLength(2)
  await expectAnswer(
    clerk('POST', invoices, { body: { fields, creationKey: 'mine' } }),
    400,
    'request.invalid',
  )
})

test('a draft can be created, read, edited and deleted', async () => {
  const fields = await salesFields(clerk)
  const draft = await expectAnswer(clerk('POST', invoices, { body: { fields } }), 201)
  expect(draft).toMatchObject({ typeCode: 'trade.sales_invoice', status: 'Draft', payload: { fields } })
  expect(draft.number).toMatch(/^SI-\d{6}$/)
  expect(draft['display']).toBe(`Sales invoice ${draft.number}`)
  expect(Object.keys(draft).sort()).toEqual(
    ['id', 'typeCode', 'number', 'display', 'status', 'payload', 'createdAtUtc', 'updatedAtUtc'].sort(),
  )
  expect(await expectAnswer(viewer('GET', `${invoices}/${draft.id}`), 200)).toEqual(draft)

  const later = { ...fields, dueDate: '2027-02-28' }
  const edited = await expectAnswer(
    clerk('PUT', `${invoices}/${draft.id.toUpperCase()}`, { body: { fields: later } }),
    200,
  )
  expect(edited).toMatchObject({ id: draft.id, number: draft.number, payload: { fields: later } })
  expect(await storedVersion(draft.id)).toBe(2)

  const deletion = await clerk('DELETE', `${invoices}/${draft.id}`)
  expect([deletion.status, await deletion.text()]).toEqual([204, ''])
  await expectAnswer(clerk('GET', `${invoices}/${draft.id}`), 404, 'documents.not_found')
  await expectAnswer(clerk('DELETE', `${invoices}/${draft.id}`), 404, 'documents.not_found')
})

test('every document type has its own number series', async () => {
  const fields = await salesFields(clerk)
  const order = await expectAnswer(
    clerk('POST', '/api/documents/trade.sales_order', { body: { fields } }),
    201,
  )
  const invoice = await draftInvoice()
  const payment = await expectAnswer(
    clerk('POST', payments, { body: { fields: { invoiceId: invoice.id, amount: '25.00' } } }),
    201,
  )
  const entry = await expectAnswer(clerk('POST', journal, { body: { fields: { entries } } }), 201)
  expect([order, payment, entry].map(({ number }) => number)).toEqual(['SO-000001', 'CP-000001', 'GJ-000001'])
  expect(entry).toMatchObject({ typeCode: 'general_journal_entry', payload: { fields: { entries } } })
})

test('drafts that are created concurrently have different numbers', async () => {
  const fields = await salesFields(clerk)
  const drafts = await Promise.all(
    Array.from({ length: 20 }, () => expectAnswer(clerk('POST', invoices, { body: { fields } }), 201)),
  )
  expect(new Set(drafts.map(({ number }) => number)).size).toBe(20)
})

test('the pages of a document type contain each draft once, newest first', async () => {
  const ids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    ids.unshift((await expectAnswer(clerk('POST', journal, { body: { fields: { entries } } }), 201)).id)
  }
  const first = await expectAnswer(viewer('GET', `${journal}?limit=3`), 200)
  const second = await expectAnswer(viewer('GET', `${journal}?limit=2&cursor=${first.nextCursor}`), 200)
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
  await expectAnswer(viewer('GET', `${journal}?limit=0`), 400, 'request.invalid')
  await expectAnswer(viewer('GET', `${journal}?cursor=x`), 400, 'request.invalid')
})

test('unknown fields of a draft are ignored, including lifecycle fields', async () => {
  const body = {
    fields: { ...(await salesFields(clerk)), discount: '1.00' },
    status: 'Posted',
    number: 'SI-999999',
    version: 7,
  }
  const draft = await expectAnswer(clerk('POST', invoices, { body }), 201)
  expect(draft).toMatchObject({ status: 'Draft' })
  expect(draft.number).not.toBe('SI-999999')
  expect((draft['payload'] as { fields: object }).fields).not.toHaveProperty('discount')
  const edited = await expectAnswer(clerk('PUT', `${invoices}/${draft.id}`, { body }), 200)
  expect(edited).toMatchObject({ status: 'Draft', number: draft.number })
  expect(await storedVersion(draft.id)).toBe(2)
})

test('an invoice cannot be deleted while a payment references it', async () => {
  const invoice = await draftInvoice()
  const payment = await expectAnswer(
    clerk('POST', payments, { body: { fields: { invoiceId: invoice.id, amount: '1.00' } } }),
    201,
  )
  await expectAnswer(clerk('DELETE', `${invoices}/${invoice.id}`), 409, 'documents.in_use')
  expect((await clerk('DELETE', `${payments}/${payment.id}`)).status).toBe(204)
  expect((await clerk('DELETE', `${invoices}/${invoice.id}`)).status).toBe(204)
})

test('every change of a document adds an event with the kind of the document to its timeline', async () => {
  const { id, number } = await expectAnswer(clerk('POST', journal, { body: { fields: { entries } } }), 201)
  const balanced = [entries[0], { ...entries[1], credit: '100.00' }]
  await expectAnswer(clerk('PUT', `${journal}/${id}`, { body: { fields: { entries: balanced } } }), 200)
  const timeline = (kind: string) =>
    `/api/audit/events?kind=${kind}&typeCode=general_journal_entry&objectId=${id}`
  const { items } = await expectAnswer(clerk('GET', timeline('GeneralJournalEntry')), 200)
  expect(items.map((event) => [event['actionCode'], event['metadata'], event['changes']])).toEqual([
    [
      'documents.updated',
      { number, version: 2 },
      [{ fieldPath: 'fields.entries', oldValue: entries, newValue: balanced }],
    ],
    [
      'documents.created',
      { number, version: 1 },
      [{ fieldPath: 'fields.entries', oldValue: null, newValue: entries }],
    ],
  ])
  await expectAnswer(clerk('GET', timeline('Document')), 400, 'business_object.unsupported')
})

test('the audit event of a deletion contains the last fields of the document', async () => {
  const draft = await draftInvoice()
  await clerk('DELETE', `${invoices}/${draft.id}`)
  const rows = await host.database.read((db) =>
    db.execute<{ changes: readonly { fieldPath: string; newValue: unknown }[] }>(sql`
      select changes from core_audit.audit_events
      where target_id = ${draft.id}::uuid and action_code = 'documents.deleted'`),
  )
  expect(rows[0]?.changes.map(({ fieldPath, newValue }) => [fieldPath, newValue]).sort()).toEqual([
    ['fields.customerId', null],
    ['fields.dueDate', null],
    ['fields.lines', null],
  ])
})

test('a creation key belongs to one user and one type', async () => {
  const body = { fields: await salesFields(clerk), creationKey: crypto.randomUUID() }
  const colleague = await host.asRole('colleague', 'trade.clerk')
  const made = [
    await expectAnswer(clerk('POST', invoices, { body }), 201),
    await expectAnswer(colleague('POST', invoices, { body }), 201),
    await expectAnswer(clerk('POST', '/api/documents/trade.sales_order', { body }), 201),
  ]
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
})
