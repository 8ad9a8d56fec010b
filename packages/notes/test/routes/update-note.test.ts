import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import { Note } from '@vertical-kit/notes/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allPermissions, expectJson, type NotesHost, openNotesHost, refusalOf, write } from '../harness.ts'
import { everyRow } from '../rows.ts'

const maxTextChars = 20
const bodyLimitBytes = 4 * maxTextChars + 4096

const statements = recordStatements()
let host: NotesHost
let clerk: TestRequest
let colleague: TestRequest
beforeAll(async () => {
  host = await openNotesHost({ config: { maxTextChars }, observe: statements.observe })
  clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions })
  colleague = await host.as({ subject: 'colleague', name: 'Carl Clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const writeOne = async () => write(clerk, await host.addParent())
const update = (id: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  colleague('PUT', `/api/notes/${id}`, { body, headers })

/** Tries to edit a note with version 2. Checks that the database is unchanged and returns the refusal. */
async function refusalTo(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { id } = await writeOne()
  await expectJson(await update(id, { text: 'Second', version: 1 }), 200)
  const before = await everyRow(host.database)
  const refusal = await refusalOf(await update(id, body, headers))
  expect(await everyRow(host.database)).toEqual(before)
  return refusal
}

test('PUT /api/notes/{id} returns 200 with the complete note, its next version and its editor', async () => {
  const note = await writeOne()
  const response = await update(note.id, { text: ' Called\r\nback ', version: 1 })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const edited = await expectJson<Note>(response, 200)
  expect(edited).toEqual({
    ...note,
    text: 'Called\r\nback',
    version: 2,
    updatedAtUtc: edited.updatedAtUtc,
    updatedByUserId: edited.updatedByUserId,
    updatedByDisplayName: 'Carl Clerk',
  })
  expect(edited.updatedByUserId).not.toBe(note.updatedByUserId)
  expect(parse(Note, edited)).toEqual(edited)
})

test('PUT /api/notes/{id} ignores fields that only the server sets', async () => {
  const note = await writeOne()
  const target = await host.addParent()
  const body = {
    text: 'Text',
    version: 1,
    target,
    id: target.id,
    isDeleted: true,
    createdByUserId: target.id,
  }
  expect(await expectJson<Note>(await update(note.id, body), 200)).toMatchObject({
    id: note.id,
    target: note.target,
    isDeleted: false,
    createdByUserId: note.createdByUserId,
  })
})

test('PUT /api/notes/{id} accepts an id in upper case', async () => {
  const { id } = await writeOne()
  const response = await update(id.toUpperCase(), { text: 'Text', version: 1 })
  expect(await expectJson<Note>(response, 200)).toMatchObject({ id, version: 2 })
})

describe('PUT /api/notes/{id}', () => {
  test.each([
    ['is missing', undefined, { code: 'notes.text_required' }],
    ['contains only white space', '\t', { code: 'notes.text_required' }],
    ['contains U+0000', '\0', { code: 'notes.text_invalid' }],
    ['contains an unpaired surrogate', '\udfff', { code: 'notes.text_invalid' }],
    [
      'is one code point too long',
      'x'.repeat(maxTextChars + 1),
      { code: 'notes.text_too_long', context: { maxChars: maxTextChars, actualChars: maxTextChars + 1 } },
    ],
    ['is an object', {}, { code: 'request.invalid', errors: [{ path: 'text' }] }],
  ])('returns 400 if the text %s', async (_what, text, refusal) => {
    expect(await refusalTo({ text, version: 2 })).toMatchObject({ status: 400, ...refusal })
  })

  test('validates the text before it loads the note or creates a user record', async () => {
    const newcomer = await host.as({ subject: 'newcomer', roles: ['platform-admin'] })
    const { id } = await writeOne()
    const before = await everyRow(host.database)
    for (const noteId of [id, 'unknown']) {
      const response = await newcomer('PUT', `/api/notes/${noteId}`, { body: { text: ' ', version: 1 } })
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'notes.text_required' })
    }
    expect(await everyRow(host.database)).toEqual(before)
  })
})

test.each([undefined, null, 1.5, '2', true, 1e300, [2]])(
  'an edit with the version %j returns 400 request.invalid',
  async (version) => {
    expect(await refusalTo({ text: 'Text', version })).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'version' }],
    })
  },
)

test.each(['{', 'text', ''])('an edit with the body %j returns 400 request.malformed', async (body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.malformed' })
})

test('an edit with a body of the maximum size returns 200, and one more byte returns 413', async () => {
  const { id } = await writeOne()
  const body = JSON.stringify({ text: 'Text', version: 1 })
  const padded = (bytes: number) => body + ' '.repeat(bytes - body.length)
  expect(await refusalOf(await update(id, padded(bodyLimitBytes + 1)))).toMatchObject({
    status: 413,
    code: 'request.too_large',
    context: { maxBytes: bodyLimitBytes },
  })
  expect((await update(id, padded(bodyLimitBytes))).status).toBe(200)
})

test('an edit with a content type other than JSON returns 415', async () => {
  expect(await refusalTo('{"text":"Text","version":2}', { 'Content-Type': 'text/plain' })).toMatchObject({
    status: 415,
    code: 'request.unsupported_media_type',
  })
})

test.each([1, 3])('an edit with version %i returns 409 if the note has version 2', async (version) => {
  expect(await refusalTo({ text: 'Text', version })).toMatchObject({
    status: 409,
    code: 'notes.version_conflict',
    detail: 'The note changed after it was loaded.',
    context: { expectedVersion: version, actualVersion: 2 },
  })
})

test.each([1, 2])('an edit of a deleted note with version %i returns 409 notes.deleted', async (version) => {
  const { id } = await writeOne()
  await expectJson(await clerk('DELETE', `/api/notes/${id}?version=1`), 200)
  const before = await everyRow(host.database)
  expect(await refusalOf(await update(id, { text: 'Text', version }))).toMatchObject({
    status: 409,
    code: 'notes.deleted',
  })
  expect(await everyRow(host.database)).toEqual(before)
})

test('one of 30 concurrent edits of the same version returns 200, and all others return 409', async () => {
  const { id } = await writeOne()
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, n) => update(id, { text: `Edit ${n}`, version: 1 })),
  )
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1)
  for (const response of responses.filter(({ status }) => status !== 200)) {
    expect(await refusalOf(response)).toMatchObject({
      code: 'notes.version_conflict',
      context: { expectedVersion: 1, actualVersion: 2 },
    })
  }
})

test('an edit without the permission returns 403, even if the body is malformed', async () => {
  const permissions = allPermissions.filter((name) => !name.endsWith('.update'))
  const other = await host.as({ subject: 'other', permissions })
  const { id } = await writeOne()
  expect(await refusalOf(await other('PUT', `/api/notes/${id}`, { body: '{' }))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.update' },
  })
})

test('an edit without a token returns 401', async () => {
  const { id } = await writeOne()
  const response = await host.app.request(`/api/notes/${id}`, { method: 'PUT', body: '{' })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})

test('an edit sends seven statements in addition to the query for the permissions', async () => {
  const { id } = await writeOne()
  statements.reset()
  await expectJson(await update(id, { text: 'Second', version: 1 }), 200)
  // Two statements read note and object, three lock the note and check access again, and two change and read the note.
  expect(statements.count).toBe(2 + 3 + 2)
})
