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

/** Tries to add a note. Checks that the database is unchanged and returns the refusal. */
async function refusalTo(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const before = await everyRow(host.database)
  const refusal = await refusalOf(await create(body, headers))
  expect(await everyRow(host.database)).toEqual(before)
  return refusal
}

test('POST /api/notes returns 201 with the complete note and version 1', async () => {
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
    mentions: [],
  })
  expect(parse(Note, note)).toEqual(note)
  expect(isUuid(note.id) && note.id[14] === '7').toBe(true)
  expect(await storedNote(host.database, note.id)).toMatchObject({ text: 'Call\r\nback', version: 1 })
})

test('POST /api/notes ignores fields that only the server sets', async () => {
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

test('POST /api/notes accepts a target id in upper case', async () => {
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
])('POST /api/notes stores and returns the text %j unchanged', async (text) => {
  const response = await create({ target: await host.addParent(), text })
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await expectJson<Note>(response, 201)).toMatchObject({ text })
})

describe('POST /api/notes', () => {
  test.each([
    ['is missing', undefined, { code: 'notes.text_required' }],
    ['is null', null, { code: 'notes.text_required' }],
    ['is empty', '', { code: 'notes.text_required' }],
    ['contains only white space', ' \r\n\u3000', { code: 'notes.text_required' }],
    ['contains U+0000', 'a\0b', { code: 'notes.text_invalid' }],
    ['contains an unpaired surrogate', 'a\ud800b', { code: 'notes.text_invalid' }],
    [
      'is one code point too long',
      '😀'.repeat(maxTextChars + 1),
      { code: 'notes.text_too_long', context: { maxChars: maxTextChars, actualChars: maxTextChars + 1 } },
    ],
    ['is a number', 7, { code: 'request.invalid', errors: [{ path: 'text' }] }],
    ['is a list', ['Text'], { code: 'request.invalid', errors: [{ path: 'text' }] }],
  ])('returns 400 if the text %s', async (_what, text, refusal) => {
    const target = await host.addParent()
    expect(await refusalTo({ target, text })).toMatchObject({ status: 400, ...refusal })
  })

  test('accepts a text with the maximum number of code points', async () => {
    const text = '😀'.repeat(maxTextChars)
    expect((await create({ target: await host.addParent(), text })).status).toBe(201)
  })
})

describe('with an invalid target, POST /api/notes', () => {
  test.each([
    ['is missing', undefined, ['target']],
    ['is a string', 'Document', ['target']],
    ['is empty', {}, ['target.kind', 'target.typeCode', 'target.id']],
    ['has a malformed id', { kind: 'Document', typeCode: 'trade.sales_invoice', id: '1' }, ['target.id']],
    [
      'has an objectId but no id',
      { kind: 'Document', typeCode: 'trade.sales_invoice', objectId: newId() },
      ['target.id'],
    ],
    ['contains U+0000', { kind: 'Document', typeCode: 'trade\0', id: newId() }, ['target.typeCode']],
  ])('returns 400 request.invalid if the target %s', async (_what, target, paths) => {
    const refusal = await refusalTo({ target, text: 'Text' })
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid' })
    expect(refusal.errors?.map(({ path }) => path)).toEqual(paths)
  })
})

test.each([
  ['an unknown kind', { ...newReference(), kind: 'Register' }],
  ['an unknown type code', { ...newReference(), typeCode: 'SalesInvoice' }],
  ['a document kind and the type code of journal entries', newReference('Document', 'general_journal_entry')],
  ['the kind of journal entries and a document type', newReference('GeneralJournalEntry')],
])('POST /api/notes returns 400 business_object.unsupported for a target with %s', async (_what, target) => {
  expect(await refusalTo({ target, text: 'Text' })).toMatchObject({
    status: 400,
    code: 'business_object.unsupported',
  })
})

test.each([
  ['truncated', '{ "target": '],
  ['empty', ''],
  ['nested too deeply', `${'['.repeat(100)}${']'.repeat(100)}`],
])('POST /api/notes returns 400 request.malformed if the body is %s', async (_what, body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.malformed' })
})

test.each(['null', '7', '"text"', '[]'])('POST /api/notes returns 400 for the body %s', async (body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.invalid' })
})

describe('the size limit of POST /api/notes', () => {
  /** Returns a valid body of exactly this size in bytes. */
  async function bodyOf(bytes: number): Promise<string> {
    const body = JSON.stringify({ target: await host.addParent(), text: 'Text' })
    return body + ' '.repeat(bytes - body.length)
  }

  test('allows a body of the maximum size', async () => {
    expect((await create(await bodyOf(bodyLimitBytes))).status).toBe(201)
  })

  test.each([
    ['with', { 'Content-Length': String(bodyLimitBytes + 1) }],
    ['without', {}],
  ])('rejects a body that is one byte too long, %s a Content-Length', async (_how, headers) => {
    expect(await refusalTo(await bodyOf(bodyLimitBytes + 1), headers)).toMatchObject({
      status: 413,
      code: 'request.too_large',
      context: { maxBytes: bodyLimitBytes },
    })
  })
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
  'POST /api/notes returns 415 for the content type %j',
  async (mediaType) => {
    const body = JSON.stringify({ target: await host.addParent(), text: 'Text' })
    expect(await refusalTo(body, { 'Content-Type': mediaType })).toMatchObject({
      status: 415,
      code: 'request.unsupported_media_type',
    })
  },
)

test('POST /api/notes returns 404 if the target does not exist', async () => {
  expect(await refusalTo({ target: newReference(), text: 'Text' })).toMatchObject({
    status: 404,
    code: 'business_object.not_found',
  })
})

test('POST /api/notes returns 403 with the missing permission, even if the body is malformed', async () => {
  const permissions = allPermissions.filter((name) => !name.endsWith('.create'))
  const other = await host.as({ subject: 'other', permissions })
  expect(await refusalOf(await other('POST', '/api/notes', { body: '{' }))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.create' },
  })
})

test('POST /api/notes returns 401 without a token, even if the body is malformed', async () => {
  const response = await host.app.request('/api/notes', { method: 'POST', body: '{' })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})
