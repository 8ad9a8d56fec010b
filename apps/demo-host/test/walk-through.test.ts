import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, type Document, editorState, entriesInShort, execute, reasons } from './actions.ts'
import { type Body, expectAnswer } from './answers.ts'
import { type OpenDemo, openDemo, type Request } from './demo-process.ts'
import { attach, download, put, reserve, type Target, targetQuery } from './uploads.ts'

let demo: OpenDemo
let clerk: Request
let target: Target

beforeAll(async () => {
  demo = await openDemo()
  clerk = await demo.as('clerk')
})
afterAll(() => demo?.close())

beforeAll(async () => {
  const entries = [{ account: '1000', debit: '1.00', credit: '0.00' }]
  const body = { fields: { entries } }
  const { id } = await expectAnswer(clerk('POST', '/api/documents/general_journal_entry', { body }), 201)
  target = { kind: 'GeneralJournalEntry', typeCode: 'general_journal_entry', id }
})

const listed = async (content: 'attachments' | 'notes'): Promise<readonly string[]> =>
  (await expectAnswer(clerk('GET', `/api/${content}?${targetQuery(target)}`), 200)).items.map(({ id }) => id)

const summary = () =>
  expectAnswer(clerk('GET', `/api/business-objects/content-summary?${targetQuery(target)}`), 200)

const timeline = async (): Promise<readonly Body[]> =>
  (await expectAnswer(clerk('GET', `/api/audit/events?${targetQuery(target)}`), 200)).items

/** Creates a draft order with a total of 37.50. */
async function draftOrder(): Promise<Document> {
  const made = async (path: string, body: object) => expectAnswer(clerk('POST', path, { body }), 201)
  const { id: customerId } = await made('/api/catalogs/trade.customer', { name: 'Acme' })
  const { id: itemId } = await made('/api/catalogs/trade.item', { name: 'Bolt' })
  const fields = { customerId, dueDate: '2027-01-31', lines: [{ itemId, quantity: 3, unitPrice: '12.50' }] }
  return (await made('/api/documents/trade.sales_order', { fields })) as Body & Document
}

test('retries of an action create only one invoice from a posted order, and the timeline contains all events', async () => {
  const order = await draftOrder()
  expect((await reasons(clerk, order))['trade.create_invoice']).toEqual(['trade.order_not_posted'])
  const refusal = await expectAnswer(
    execute(clerk, order, 'trade.create_invoice', { expectedVersion: 1 }),
    409,
    'document_action.unavailable',
  )
  expect(refusal['context']).toEqual({ reasonCodes: ['trade.order_not_posted'] })
  await act(clerk, order, 'post')

  const request = { expectedVersion: 2, key: 'one-invoice' }
  const first = await execute(clerk, order, 'trade.create_invoice', request)
  const second = await execute(clerk, order, 'trade.create_invoice', request)
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  const answer = (await first.json()) as { executionId: string; createdDocument: Document }
  expect(await second.json()).toEqual(answer)
  const other = execute(clerk, order, 'trade.create_invoice', { ...request, expectedVersion: 3 })
  await expectAnswer(other, 422, 'document_action.idempotency_conflict')

  const invoice = answer.createdDocument
  expect(invoice).toMatchObject({ status: 'Draft', payload: order.payload })
  await act(clerk, invoice, 'post')
  expect(await entriesInShort(clerk, invoice)).toEqual([
    '1200 Receivables 37.50 0.00',
    '4000 Revenue 0.00 37.50',
  ])
  expect(await reasons(clerk, invoice)).toMatchObject({
    post: ['document.already_posted'],
    mark_for_deletion: ['document.posted'],
    'trade.write_off': [],
  })
  const viewer = await demo.as('viewer')
  expect((await editorState(viewer, invoice)).actions).toEqual([])

  const eventsOf = async ({ typeCode, id }: Document) => {
    const path = `/api/audit/events?${targetQuery({ kind: 'Document', typeCode, id })}`
    return (await expectAnswer(clerk('GET', path), 200)).items
  }
  expect(await eventsOf(order)).toMatchObject([
    {
      actionCode: 'trade.create_invoice',
      actor: { displayName: 'Clara Clerk' },
      metadata: { executionId: answer.executionId, createdDocument: { number: invoice.number } },
    },
    { actionCode: 'post', changes: [{ fieldPath: 'status', oldValue: 'Draft', newValue: 'Posted' }] },
    { actionCode: 'documents.created' },
  ])
  expect(await eventsOf(invoice)).toMatchObject([
    { actionCode: 'post' },
    { actionCode: 'documents.created', metadata: { source: { number: order.number } } },
  ])
})

test('a payment settles one invoice, and the open balance of another invoice is written off with a reason', async () => {
  const order = await draftOrder()
  await act(clerk, order, 'post')
  const { createdDocument } = await act(clerk, order, 'trade.create_invoice')
  const invoice = createdDocument ?? order
  await act(clerk, invoice, 'post')
  const body = { fields: { invoiceId: invoice.id, amount: '30.00' } }
  const payment = (await expectAnswer(
    clerk('POST', '/api/documents/trade.customer_payment', { body }),
    201,
  )) as Body & Document
  await act(clerk, payment, 'post')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '30.00' } })
  expect((await reasons(clerk, payment))['trade.apply_payment']).toEqual(['trade.payment_fully_applied'])
  const clerk2 = await demo.as('clerk2')
  await act(clerk2, invoice, 'trade.write_off', { reason: 'Too little to ask for' })
  expect(await entriesInShort(clerk, invoice)).toContain('6900 Bad debts 7.50 0.00')
  expect((await reasons(clerk, invoice))['trade.write_off']).toEqual(['trade.invoice_settled'])
})

test('a file can be uploaded, downloaded and deleted, and the deleted file can be downloaded from the audit timeline', async () => {
  const file = {
    fileName: 'Rechnung – März.pdf',
    contentType: 'application/pdf',
    bytes: Buffer.from('%PDF-1.4 …'),
  }
  const { attachment, upload } = await reserve(clerk, target, file)
  expect(attachment).toMatchObject({ status: 'pending', fileName: file.fileName, target })
  expect(new URL(upload.url).origin).toBe(demo.objectStore)
  expect(await listed('attachments')).toEqual([])
  const complete = `/api/attachments/${attachment.id}/complete`
  await expectAnswer(clerk('POST', complete), 409, 'attachments.upload_missing')

  expect(await put(upload, file.bytes)).toBe(200)
  expect(await expectAnswer(clerk('POST', complete), 200)).toMatchObject({ status: 'ready' })
  expect(await listed('attachments')).toEqual([attachment.id])
  expect(await summary()).toEqual({ attachments: 1, notes: 0 })

  const fetched = await download(clerk, `/api/attachments/${attachment.id}/download`)
  expect(Buffer.from(await fetched.arrayBuffer())).toEqual(file.bytes)
  expect(fetched.headers.get('content-type')).toBe('application/octet-stream')
  expect(fetched.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''Rechnung%20/)

  expect((await clerk('DELETE', `/api/attachments/${attachment.id}`)).status).toBe(204)
  expect(await listed('attachments')).toEqual([])
  expect(await summary()).toEqual({ attachments: 0, notes: 0 })
  await expectAnswer(clerk('POST', `/api/attachments/${attachment.id}/download`), 409, 'attachments.deleted')
  const events = await timeline()
  expect(events.slice(0, 3).map((event) => [event['actionCode'], event['download']])).toEqual([
    ['attachments.mark_for_deletion', { attachmentId: attachment.id }],
    ['attachments.upload_completed', { attachmentId: attachment.id }],
    ['attachments.upload_requested', null],
  ])
  const retained = await download(clerk, `/api/attachments/${attachment.id}/audit-download`)
  expect(Buffer.from(await retained.arrayBuffer())).toEqual(file.bytes)
})

test.each([
  ['an empty file', 0],
  ['a file of several megabytes', 9 * 1024 ** 2 + 1],
])('the download of %s has the same bytes as the upload', async (_, sizeBytes) => {
  const bytes = randomBytes(sizeBytes)
  const ready = await attach(clerk, target, { fileName: 'data.bin', contentType: '', bytes })
  expect(ready).toMatchObject({ status: 'ready', sizeBytes, contentType: 'application/octet-stream' })
  const fetched = await download(clerk, `/api/attachments/${ready.id}/download`)
  expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true)
})

test('a note can be created, edited only at its current version, and deleted', async () => {
  const note = await expectAnswer(
    clerk('POST', '/api/notes', { body: { target, text: ' first\nline ' } }),
    201,
  )
  expect(note).toMatchObject({ text: 'first\nline', version: 1, createdByDisplayName: 'Clara Clerk' })
  const path = `/api/notes/${note.id}`
  const clerk2 = await demo.as('clerk2')
  const edited = await expectAnswer(clerk2('PUT', path, { body: { text: 'second', version: 1 } }), 200)
  expect(edited).toMatchObject({ text: 'second', version: 2, updatedByDisplayName: 'Carl Clerk' })
  const conflict = await expectAnswer(
    clerk('PUT', path, { body: { text: 'lost', version: 1 } }),
    409,
    'notes.version_conflict',
  )
  expect(conflict['context']).toEqual({ expectedVersion: 1, actualVersion: 2 })
  await expectAnswer(clerk('DELETE', `${path}?version=1`), 409, 'notes.version_conflict')
  expect(await expectAnswer(clerk('DELETE', `${path}?version=2`), 200)).toMatchObject({ isDeleted: true })
  expect(await listed('notes')).toEqual([])

  const [deleted, updated, created] = await timeline()
  expect([deleted, updated, created].map((event) => event?.['actionCode'])).toEqual([
    'notes.mark_for_deletion',
    'notes.updated',
    'notes.created',
  ])
  expect(updated?.['changes']).toContainEqual({
    fieldPath: 'text',
    oldValue: 'first\nline',
    newValue: 'second',
  })
  expect(updated?.['actor']).toMatchObject({ displayName: 'Carl Clerk', email: 'clerk2@example.com' })
})

test('notes and attachments of a deleted object are not accessible', async () => {
  const body = { fields: { entries: [{ account: '1', debit: '1.00', credit: '0.00' }] } }
  const { id } = await expectAnswer(clerk('POST', '/api/documents/general_journal_entry', { body }), 201)
  const doomed: Target = { ...target, id }
  const file = await attach(clerk, doomed, {
    fileName: 'a.txt',
    contentType: 'text/plain',
    bytes: Buffer.from('a'),
  })
  const note = await expectAnswer(
    clerk('POST', '/api/notes', { body: { target: doomed, text: 'gone' } }),
    201,
  )
  expect((await clerk('DELETE', `/api/documents/general_journal_entry/${id}`)).status).toBe(204)
  for (const path of ['notes', 'attachments', 'business-objects/content-summary', 'audit/events']) {
    await expectAnswer(clerk('GET', `/api/${path}?${targetQuery(doomed)}`), 404, 'business_object.not_found')
  }
  for (const action of ['download', 'audit-download']) {
    const path = `/api/attachments/${file.id}/${action}`
    await expectAnswer(clerk('POST', path), 404, 'attachments.not_found')
  }
  await expectAnswer(
    clerk('PUT', `/api/notes/${note.id}`, { body: { text: 'x', version: 1 } }),
    404,
    'notes.not_found',
  )
})

test('the store accepts uploads only from pages of the demo', async () => {
  const { upload } = await reserve(clerk, target, {
    fileName: 'a.txt',
    contentType: 'text/plain',
    bytes: Buffer.from('a'),
  })
  const preflight = (origin: string) =>
    fetch(upload.url, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-type',
      },
    })
  const own = await preflight(demo.url)
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, demo.url])
  expect((await preflight('http://other.example')).status).toBe(403)
})
