import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allPermissions,
  type NotesHost,
  openNotesHost,
  refusalOf,
  targetParameters,
  write,
} from '../harness.ts'
import { everyRow } from '../rows.ts'

let on: NotesHost
let off: NotesHost
let note: Note
beforeAll(async () => {
  on = await openNotesHost()
  note = await write(await on.as({ subject: 'clerk', permissions: allPermissions }), await on.addParent())
  // This host uses the same database, but its feature is off.
  off = await openNotesHost({ featureState: 'off', databaseUrl: on.databaseUrl })
})
afterAll(async () => {
  await off.close()
  await on.close()
})

const requests: readonly (readonly [string, (request: TestRequest) => Promise<Response>])[] = [
  ['GET /api/notes', (request) => request('GET', `/api/notes?${targetParameters(note.target)}`)],
  ['GET /api/notes with an invalid query', (request) => request('GET', '/api/notes?limit=0')],
  [
    'POST /api/notes',
    (request) => request('POST', '/api/notes', { body: { target: note.target, text: 'Text' } }),
  ],
  ['POST /api/notes with a malformed body', (request) => request('POST', '/api/notes', { body: '{' })],
  [
    'PUT /api/notes/{id}',
    (request) => request('PUT', `/api/notes/${note.id}`, { body: { text: 'Text', version: 1 } }),
  ],
  [
    'PUT /api/notes/{id} with an unknown id',
    (request) => request('PUT', `/api/notes/${newId()}`, { body: { text: 'Text', version: 1 } }),
  ],
  ['DELETE /api/notes/{id}', (request) => request('DELETE', `/api/notes/${note.id}?version=1`)],
  [
    'GET /api/business-objects/content-summary',
    (request) => request('GET', `/api/business-objects/content-summary?${targetParameters(note.target)}`),
  ],
]

describe.each(requests)('while the feature is off, %s', (_what, send) => {
  test('returns 404 feature.disabled to every caller and changes no row', async () => {
    const before = await everyRow(off.database)
    const clerk = await off.as({ subject: 'clerk' })
    const stranger = await off.as({ subject: 'stranger' })
    const administrator = await off.as({ subject: 'administrator', roles: ['platform-admin'] })
    const [first, ...others] = await Promise.all(
      [clerk, stranger, administrator].map(async (request) => refusalOf(await send(request))),
    )
    expect(first).toMatchObject({ status: 404, code: 'feature.disabled' })
    for (const other of others) expect(other).toEqual(first)
    expect(await everyRow(off.database)).toEqual(before)
  })

  test('returns 401 if the request has no token', async () => {
    const response = await send((method, path) => Promise.resolve(off.app.request(path, { method })))
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
  })
})

test('when the feature is on again, users with the permission can read the existing notes', async () => {
  const reader = await on.as({ subject: 'clerk' })
  const list = await reader('GET', `/api/notes?${targetParameters(note.target)}`)
  expect(await list.json()).toMatchObject({ items: [note] })
})
