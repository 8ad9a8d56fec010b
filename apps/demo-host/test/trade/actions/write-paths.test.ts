import { describe, expect, test } from 'vitest'
import { act, type Document, editorState, execute } from '../../actions.ts'
import { expectAnswer } from '../../answers.ts'
import { openTradeHost } from '../harness.ts'
import { draft, draftSales, postedInvoice, postedPayment } from './documents.ts'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const ownId = '019a0000-0000-7000-8000-000000000000'

/** Values of properties that only the service can set. */
const stolen = {
  id: ownId,
  typeCode: 'trade.sales_order',
  number: 'SI-999999',
  display: 'Mine',
  status: 'Posted',
  version: 41,
  documentVersion: 41,
  createdAtUtc: '2020-01-01T00:00:00.000Z',
  updatedAtUtc: '2020-01-01T00:00:00.000Z',
}

const entries = [
  { account: 'a', debit: '1.00', credit: '0.00' },
  { account: 'b', debit: '0.00', credit: '1.00' },
]

const drafts: readonly (readonly [string, () => Promise<Document>])[] = [
  ['trade.sales_order', () => draftSales(clerk, 'trade.sales_order')],
  ['trade.sales_invoice', () => draftSales(clerk, 'trade.sales_invoice')],
  [
    'trade.customer_payment',
    async () => {
      const { id: invoiceId } = await draftSales(clerk, 'trade.sales_invoice')
      return draft(clerk, 'trade.customer_payment', { invoiceId, amount: '1.00' })
    },
  ],
  ['general_journal_entry', () => draft(clerk, 'general_journal_entry', { entries })],
]

describe.each(drafts)('documents of the type %s', (typeCode, make) => {
  const path = `/api/documents/${typeCode}`

  test('a new document is a draft at version 1, and other properties of the body are ignored', async () => {
    const { payload } = await make()
    const fields = { ...payload.fields, ...stolen, payload: { fields: {} } }
    const answer = clerk('POST', path, { body: { ...stolen, payload: { ...stolen, fields }, fields } })
    const { id } = await expectAnswer(answer, 201)
    const { document, documentVersion } = await editorState(clerk, { typeCode, id })
    expect(documentVersion).toBe(1)
    expect(document).toMatchObject({ typeCode, status: 'Draft', payload })
    expect(document.payload).toEqual(payload)
    for (const [name, value] of Object.entries(document)) {
      if (name in stolen && name !== 'typeCode') expect(value).not.toBe(Reflect.get(stolen, name))
    }
  })

  test('an edit changes only the fields and increments the version', async () => {
    const made = await make()
    const { fields } = made.payload
    const body = { ...stolen, fields: { ...fields, ...stolen } }
    await expectAnswer(clerk('PUT', `${path}/${made.id}`, { body }), 200)
    const { document, documentVersion } = await editorState(clerk, made)
    expect(documentVersion).toBe(2)
    const { updatedAtUtc: _, ...rest } = made as Document & { updatedAtUtc: string }
    expect(document).toMatchObject(rest)
    expect(document.payload.fields).toEqual(fields)
  })

  test('posting a draft is a version conflict if the draft was edited after the caller loaded it', async () => {
    const made = await make()
    await expectAnswer(clerk('PUT', `${path}/${made.id}`, { body: { fields: made.payload.fields } }), 200)
    const refusal = await expectAnswer(
      execute(clerk, made, 'post', { expectedVersion: 1 }),
      409,
      'documents.version_conflict',
    )
    expect(refusal['context']).toEqual({ expectedVersion: 1, actualVersion: 2 })
  })

  test.each([
    ['Posted', 'post'],
    ['MarkedForDeletion', 'mark_for_deletion'],
  ])('a document with status %s can be neither edited nor deleted', async (status, code) => {
    const made = await make()
    const { document, documentVersion } = await act(clerk, made, code)
    expect(document.status).toBe(status)
    const body = { fields: made.payload.fields, status: 'Draft', version: 1 }
    const edit = await expectAnswer(clerk('PUT', `${path}/${made.id}`, { body }), 409, 'documents.not_draft')
    expect(edit['context']).toEqual({ status })
    await expectAnswer(clerk('DELETE', `${path}/${made.id}`), 409, 'documents.not_draft')
    expect(await editorState(clerk, made)).toMatchObject({ document, documentVersion })
  })

  test('requests with other methods cannot write a document', async () => {
    const { id } = await make()
    for (const method of ['PATCH', 'POST']) {
      await expectAnswer(clerk(method, `${path}/${id}`, { body: stolen }), 405, 'request.method_not_allowed')
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      await expectAnswer(clerk(method, path, { body: [stolen] }), 405, 'request.method_not_allowed')
    }
  })

  test('the former derivation routes do not exist', async () => {
    const { id } = await make()
    const gone = 'request.route_not_found'
    await expectAnswer(clerk('GET', `${path}/${id}/derive-actions`), 404, gone)
    const body = { sourceType: typeCode, sourceId: id }
    await expectAnswer(clerk('POST', `${path}/derive`, { body }), 404, gone)
    await expectAnswer(clerk('POST', `${path}/${id}/derive`, { body }), 404, gone)
  })
})

test('the action that creates an invoice copies the order and ignores the payload of the request', async () => {
  const order = await draftSales(clerk, 'trade.sales_order')
  await act(clerk, order, 'post')
  const payload = { ...stolen, fields: { customerId: ownId }, createdDocument: stolen }
  const { document, documentVersion, createdDocument } = await act(clerk, order, 'trade.create_invoice', {
    payload,
  })
  expect([document.status, document.number, documentVersion]).toEqual(['Posted', order.number, 3])
  expect(createdDocument).toMatchObject({
    typeCode: 'trade.sales_invoice',
    status: 'Draft',
    payload: order.payload,
  })
  expect(createdDocument?.number).not.toBe(stolen.number)
  const created = await editorState(clerk, createdDocument ?? order)
  expect(created.documentVersion).toBe(1)
})

test.each(['post', 'mark_for_deletion'])('the action %s ignores the payload of the request', async (code) => {
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const { document, documentVersion } = await act(clerk, invoice, code, {
    payload: { ...stolen, fields: { dueDate: '2020-01-01' } },
  })
  expect(documentVersion).toBe(2)
  expect(document).toMatchObject({ id: invoice.id, number: invoice.number, payload: invoice.payload })
})

test.each([
  ['an amount and the field __proto__', '{"amount":"1.00","__proto__":{"amount":"2.00"}}'],
  ['only the field __proto__', '{"__proto__":{"amount":"1.00"}}'],
  ['the field constructor', '{"amount":"1.00","constructor":{"prototype":{"amount":"2.00"}}}'],
  ['a field with an inherited name', '{"amount":"1.00","toString":"x"}'],
])('the action that applies a payment refuses a payload with %s', async (_, payload) => {
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '10.00')
  const response = await clerk(
    'POST',
    `/api/documents/${payment.typeCode}/${payment.id}/actions/trade.apply_payment`,
    {
      headers: { 'Idempotency-Key': payment.id },
      body: `{"expectedVersion":2,"payload":${payload}}`,
    },
  )
  expect([response.status, ({} as { amount?: string }).amount]).toEqual([400, undefined])
})
