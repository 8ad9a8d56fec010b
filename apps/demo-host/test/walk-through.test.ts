import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
afterAll(() => demo.close())

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

test('a file goes from reservation to download, deletion and download from the audit timeline', async () => {
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
])('%s comes back as it was', async (_, sizeBytes) => {
  const bytes = randomBytes(sizeBytes)
  const ready = await attach(clerk, target, { fileName: 'data.bin', contentType: '', bytes })
  expect(ready).toMatchObject({ status: 'ready', sizeBytes, contentType: 'application/octet-stream' })
  const fetched = await download(clerk, `/api/attachments/${ready.id}/download`)
  expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true)
})

test('a note is written, edited at its version only, and deleted', async () => {
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

test('the content of a hard-deleted parent is out of reach', async () => {
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

test('a page of this origin may put files into the store, another may not', async () => {
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

test('the sample data is there on the first start, files included', async () => {
  const viewer = await demo.as('viewer')
  const page = async (path: string) => (await expectAnswer(viewer('GET', `${path}?limit=100`), 200)).items
  expect(await page('/api/catalogs/trade.customer')).toHaveLength(20)
  const invoices = await page('/api/documents/trade.sales_invoice')
  expect(invoices).toHaveLength(40)
  expect(await page('/api/documents/trade.sales_order')).not.toHaveLength(0)
  expect(await page('/api/documents/trade.customer_payment')).not.toHaveLength(0)

  const [newest] = invoices
  const query = targetQuery({ kind: 'Document', typeCode: 'trade.sales_invoice', id: newest?.id ?? '' })
  const files = (await expectAnswer(viewer('GET', `/api/attachments?${query}`), 200)).items
  expect(files.map((file) => file['fileName'])).toEqual(['Delivery terms.txt', `${newest?.number}.pdf`])
  const pdf = await download(viewer, `/api/attachments/${files[1]?.id}/download`)
  expect(await pdf.text()).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/)
  const notes = (await expectAnswer(viewer('GET', `/api/notes?${query}`), 200)).items
  expect(notes).toMatchObject([{ createdByDisplayName: 'Clara Clerk' }])
})
