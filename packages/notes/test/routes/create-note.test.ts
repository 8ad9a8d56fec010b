import { newId } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { Note } from '@vertical-kit/notes/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allPermissions, expectJson, type NotesHost, openNotesHost, refusalOf } from '../harness.ts'
import { newReference } from '../parents.ts'
import { everyRow, storedNote } from '../rows.ts'

const maxTextChars = 20
const bodyLimitBytes = 4 * maxTextChars + 4096

let host: NotesHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openNotesHost({ config: { maxTextChars } })
  clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const create = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  clerk('POST', '/api/notes', { body, headers })

/** Returns the refusal and checks that the database is unchanged. */
async function refusalTo(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const before = await everyRow(host.database)
  const refusal = await refusalOf(await create(body, headers))
  expect(await everyRow(host.database)).toEqual(before)
  return refusal
}

test('201: returns the complete note at version 1', async () => {
  const target = await host.addParent()
  const response = await create({ target, text: '  Call\r\nback \n' })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const note = await expectJson<Note>(response, 201)
  expect(note).toEqual({
    id: expect.any(String),
    target,
    text: 'Call\r\nback',
    version: 1,
    isDeleted: false,
    createdAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    createdByUserId: expect.any(String),
    createdByDisplayName: 'Clara Clerk',
    updatedAtUtc: note.createdAtUtc,
    updatedByUserId: note.createdByUserId,
    updatedByDisplayName: 'Clara Clerk',
  })
  expect(parse(Note, note)).toEqual(note)
  expect(isUuid(note.id) && note.id[14] === '7').toBe(true)
  expect(await storedNote(host.database, note.id)).toMatchObject({ text: 'Call\r\nback', version: 1 })
})

test('201: ignores fields that only the server sets', async () => {
  const target = await host.addParent()
  const note = await expectJson<Note>(
    await create(
      `{ "id": "${newId()}", "target": ${JSON.stringify({ ...target, version: 5 })}, "text": "Text", "version": 9,
         "isDeleted": true, "createdByUserId": "${newId()}", "createdAtUtc": "2001-01-01T00:00:00.000Z",
         "__proto__": { "version": 9 }, "constructor": { "prototype": { "version": 9 } } }`,
    ),
    201,
  )
  expect(note).toMatchObject({ target, version: 1, isDeleted: false, createdByDisplayName: 'Clara Clerk' })
  expect(note.target).toEqual(target)
  expect(Date.parse(note.createdAtUtc)).toBeGreaterThan(Date.parse('2020-01-01'))
  expect(Reflect.get({}, 'version')).toBeUndefined()
})

test('201: accepts an object id in upper case', async () => {
  const target = await host.addParent()
  const note = await create({ target: { ...target, id: target.id.toUpperCase() }, text: 'Text' })
  expect(await expectJson<Note>(note, 201)).toMatchObject({ target })
})

test.each([
  '<b>hi</b>',
  '"><svg onload=x>',
  '[x](javascript:1)',
  "'; drop table x;--",
  '{{7*7}}',
  '\u202eevil',
])('201: stores and returns the text %j unchanged', async (text) => {
  const response = await create({ target: await host.addParent(), text })
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await expectJson<Note>(response, 201)).toMatchObject({ text })
})

describe('400: a text', () => {
  test.each([
    ['that is missing', undefined, { code: 'notes.text_required' }],
    ['that is null', null, { code: 'notes.text_required' }],
    ['that is empty', '', { code: 'notes.text_required' }],
    ['of white space', ' \r\n\u3000', { code: 'notes.text_required' }],
    ['with U+0000', 'a\0b', { code: 'notes.text_invalid' }],
    ['with a lone surrogate', 'a\ud800b', { code: 'notes.text_invalid' }],
    [
      'that is one code point too long',
      '😀'.repeat(maxTextChars + 1),
      { code: 'notes.text_too_long', context: { maxChars: maxTextChars, actualChars: maxTextChars + 1 } },
    ],
    ['that is a number', 7, { code: 'request.invalid', errors: [{ path: 'text' }] }],
    ['that is a list', ['Text'], { code: 'request.invalid', errors: [{ path: 'text' }] }],
  ])('%s', async (_what, text, refusal) => {
    const target = await host.addParent()
    expect(await refusalTo({ target, text })).toMatchObject({ status: 400, ...refusal })
  })

  test('accepts a text with the maximum number of code points', async () => {
    const text = '😀'.repeat(maxTextChars)
    expect((await create({ target: await host.addParent(), text })).status).toBe(201)
  })
})

describe('400 request.invalid: a target', () => {
  test.each([
    ['that is missing', undefined, ['target']],
    ['that is text', 'Document', ['target']],
    ['that is empty', {}, ['target.kind', 'target.typeCode', 'target.id']],
    ['with a malformed id', { kind: 'Document', typeCode: 'trade.sales_invoice', id: '1' }, ['target.id']],
    [
      'with the field names of a query',
      { kind: 'Document', typeCode: 'trade.sales_invoice', objectId: newId() },
      ['target.id'],
    ],
    ['with U+0000', { kind: 'Document', typeCode: 'trade\0', id: newId() }, ['target.typeCode']],
  ])('%s', async (_what, target, paths) => {
    const refusal = await refusalTo({ target, text: 'Text' })
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid' })
    expect(refusal.errors?.map(({ path }) => path)).toEqual(paths)
  })
})

test.each([
  ['an unknown kind', { ...newReference(), kind: 'Register' }],
  ['a type alias', { ...newReference(), typeCode: 'SalesInvoice' }],
  ['a journal entry as a document', newReference('Document', 'general_journal_entry')],
  ['a document as a journal entry', newReference('GeneralJournalEntry')],
])('400 business_object.unsupported: %s', async (_what, target) => {
  expect(await refusalTo({ target, text: 'Text' })).toMatchObject({
    status: 400,
    code: 'business_object.unsupported',
  })
})

test.each([
  ['that is truncated', '{ "target": '],
  ['of nothing', ''],
  ['that is nested too deeply', `${'['.repeat(100)}${']'.repeat(100)}`],
])('400 request.malformed: a body %s', async (_what, body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.malformed' })
})

test.each(['null', '7', '"text"', '[]'])('400: a body that is %s', async (body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.invalid' })
})

describe('413: a body', () => {
  /** Returns a valid body of exactly this size. */
  async function bodyOf(bytes: number): Promise<string> {
    const body = JSON.stringify({ target: await host.addParent(), text: 'Text' })
    return body + ' '.repeat(bytes - body.length)
  }

  test('accepts a body of the maximum size', async () => {
    expect((await create(await bodyOf(bodyLimitBytes))).status).toBe(201)
  })

  test.each([
    ['declared', { 'Content-Length': String(bodyLimitBytes + 1) }],
    ['counted', {}],
  ])('that is one byte too long, %s', async (_how, headers) => {
    expect(await refusalTo(await bodyOf(bodyLimitBytes + 1), headers)).toMatchObject({
      status: 413,
      code: 'request.too_large',
      context: { maxBytes: bodyLimitBytes },
    })
  })
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
  '415: a body with the content type %j',
  async (mediaType) => {
    const body = JSON.stringify({ target: await host.addParent(), text: 'Text' })
    expect(await refusalTo(body, { 'Content-Type': mediaType })).toMatchObject({
      status: 415,
      code: 'request.unsupported_media_type',
    })
  },
)

test('404: an object that does not exist', async () => {
  expect(await refusalTo({ target: newReference(), text: 'Text' })).toMatchObject({
    status: 404,
    code: 'business_object.not_found',
  })
})

test('403: names the missing permission without reading the body', async () => {
  const permissions = allPermissions.filter((name) => !name.endsWith('.create'))
  const other = await host.as({ subject: 'other', permissions })
  expect(await refusalOf(await other('POST', '/api/notes', { body: '{' }))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.create' },
  })
})

test('401: rejects a request without a token before reading the body', async () => {
  const response = await host.app.request('/api/notes', { method: 'POST', body: '{' })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})
