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

/** Edits a note at version 2. Returns the refusal and checks that the database is unchanged. */
async function refusalTo(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { id } = await writeOne()
  await expectJson(await update(id, { text: 'Second', version: 1 }), 200)
  const before = await everyRow(host.database)
  const refusal = await refusalOf(await update(id, body, headers))
  expect(await everyRow(host.database)).toEqual(before)
  return refusal
}

test('200: returns the complete note with the next version and its editor', async () => {
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

test('200: ignores fields that only the server sets', async () => {
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

test('200: accepts an id in upper case', async () => {
  const { id } = await writeOne()
  const response = await update(id.toUpperCase(), { text: 'Text', version: 1 })
  expect(await expectJson<Note>(response, 200)).toMatchObject({ id, version: 2 })
})

describe('400: a text', () => {
  test.each([
    ['that is missing', undefined, { code: 'notes.text_required' }],
    ['of white space', '\t', { code: 'notes.text_required' }],
    ['with U+0000', '\0', { code: 'notes.text_invalid' }],
    ['with a lone surrogate', '\udfff', { code: 'notes.text_invalid' }],
    [
      'that is one code point too long',
      'x'.repeat(maxTextChars + 1),
      { code: 'notes.text_too_long', context: { maxChars: maxTextChars, actualChars: maxTextChars + 1 } },
    ],
    ['that is an object', {}, { code: 'request.invalid', errors: [{ path: 'text' }] }],
  ])('%s', async (_what, text, refusal) => {
    expect(await refusalTo({ text, version: 2 })).toMatchObject({ status: 400, ...refusal })
  })

  test('is validated before the note is loaded and creates no user record', async () => {
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
  '400 request.invalid: the version %j',
  async (version) => {
    expect(await refusalTo({ text: 'Text', version })).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'version' }],
    })
  },
)

test.each(['{', 'text', ''])('400 request.malformed: the body %j', async (body) => {
  expect(await refusalTo(body)).toMatchObject({ status: 400, code: 'request.malformed' })
})

test('413: rejects a body that is one byte too long, but not one of the maximum size', async () => {
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

test('415: rejects a body with another content type than JSON', async () => {
  expect(await refusalTo('{"text":"Text","version":2}', { 'Content-Type': 'text/plain' })).toMatchObject({
    status: 415,
    code: 'request.unsupported_media_type',
  })
})

test.each([1, 3])('409 notes.version_conflict: version %i of a note at version 2', async (version) => {
  expect(await refusalTo({ text: 'Text', version })).toMatchObject({
    status: 409,
    code: 'notes.version_conflict',
    detail: 'The note changed after it was loaded.',
    context: { expectedVersion: version, actualVersion: 2 },
  })
})

test.each([1, 2])('409 notes.deleted: a deleted note, at version %i', async (version) => {
  const { id } = await writeOne()
  await expectJson(await clerk('DELETE', `/api/notes/${id}?version=1`), 200)
  const before = await everyRow(host.database)
  expect(await refusalOf(await update(id, { text: 'Text', version }))).toMatchObject({
    status: 409,
    code: 'notes.deleted',
  })
  expect(await everyRow(host.database)).toEqual(before)
})

test('one of 30 concurrent edits of one version returns 200, the others 409', async () => {
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

test('403: names the missing permission without reading the body', async () => {
  const permissions = allPermissions.filter((name) => !name.endsWith('.update'))
  const other = await host.as({ subject: 'other', permissions })
  const { id } = await writeOne()
  expect(await refusalOf(await other('PUT', `/api/notes/${id}`, { body: '{' }))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.update' },
  })
})

test('401: rejects a request without a token', async () => {
  const { id } = await writeOne()
  const response = await host.app.request(`/api/notes/${id}`, { method: 'PUT', body: '{' })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})

test('an edit sends seven statements besides the permission snapshot', async () => {
  const { id } = await writeOne()
  statements.reset()
  await expectJson(await update(id, { text: 'Second', version: 1 }), 200)
  // Note and object; then lock, rights and object again; then the change with its event, and the changed note.
  expect(statements.count).toBe(2 + 3 + 2)
})
