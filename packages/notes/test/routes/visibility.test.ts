import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  targetParameters,
  write,
} from '../harness.ts'
import { newReference, removeParent, showOnlyTo } from '../parents.ts'
import { everyRow } from '../rows.ts'

let host: NotesHost
let insider: TestRequest
let outsider: TestRequest
let administrator: TestRequest
beforeAll(async () => {
  host = await openNotesHost()
  insider = await host.as({ subject: 'insider', permissions: allPermissions })
  outsider = await host.as({ subject: 'outsider', permissions: allPermissions })
  administrator = await host.as({ subject: 'administrator', roles: ['platform-admin'] })
})
afterAll(() => host.close())

/** Adds a note to an object that only the insider is allowed to read. */
async function writeHidden(): Promise<Note> {
  const target = await host.addParent()
  const note = await write(insider, target)
  await showOnlyTo(host.database, target, ['insider'])
  return note
}

/** Adds a note to an object and then deletes the object. */
async function writeOrphan(): Promise<Note> {
  const note = await write(insider, await host.addParent())
  await removeParent(host.database, note.target)
  return note
}

/** Returns the status, headers and body of a response without the request id. */
async function seen(response: Response): Promise<unknown> {
  const { requestId, ...body } = (await response.json()) as { requestId: string }
  const headers = Object.fromEntries(response.headers)
  expect(headers['x-request-id']).toBe(requestId)
  return { status: response.status, body, headers: { ...headers, 'x-request-id': null } }
}

const byId: readonly (readonly [string, (request: TestRequest, id: string) => Promise<Response>])[] = [
  ['an edit', (request, id) => request('PUT', `/api/notes/${id}`, { body: { text: 'Text', version: 1 } })],
  [
    'an edit with another version',
    (request, id) => request('PUT', `/api/notes/${id}`, { body: { text: 'Text', version: 7 } }),
  ],
  ['a deletion', (request, id) => request('DELETE', `/api/notes/${id}?version=1`)],
  ['a deletion with another version', (request, id) => request('DELETE', `/api/notes/${id}?version=7`)],
]

describe.each(byId)('%s', (_what, send) => {
  test('returns the same 404 for unknown notes and for notes on unreadable or deleted objects', async () => {
    const hidden = await writeHidden()
    const orphan = await writeOrphan()
    const deleted = await writeHidden()
    await expectJson(await insider('DELETE', `/api/notes/${deleted.id}?version=1`), 200)
    const before = await everyRow(host.database)

    const never = await seen(await send(outsider, newId()))
    expect(never).toMatchObject({
      status: 404,
      body: { code: 'notes.not_found', detail: 'The note does not exist or is not visible to you.' },
    })
    const ids = [hidden.id, hidden.id.toUpperCase(), orphan.id, deleted.id, hidden.target.id]
    for (const id of [...ids, 'not-a-uuid', '%00', `{${hidden.id}}`, ` ${hidden.id}`, `${hidden.id}0`]) {
      expect(await seen(await send(outsider, id))).toEqual(never)
    }
    expect(await everyRow(host.database)).toEqual(before)
  })

  test('returns 404 even to administrators if the object of the note is deleted', async () => {
    const { id } = await writeOrphan()
    expect(await seen(await send(administrator, id))).toMatchObject({ body: { code: 'notes.not_found' } })
  })
})

const byTarget: readonly (readonly [string, (request: TestRequest, note: Note) => Promise<Response>])[] = [
  ['a list request', (request, { target }) => request('GET', `/api/notes?${targetParameters(target)}`)],
  [
    'a count request',
    (request, { target }) =>
      request('GET', `/api/business-objects/content-summary?${targetParameters(target)}`),
  ],
  ['a creation', (request, { target }) => request('POST', '/api/notes', { body: { target, text: 'Text' } })],
]

describe.each(byTarget)('%s', (_what, send) => {
  test('returns the same 404 for unreadable, deleted and unknown objects', async () => {
    const never = await seen(await send(outsider, { target: newReference() } as Note))
    expect(never).toMatchObject({ status: 404, body: { code: 'business_object.not_found' } })
    const before = [await writeHidden(), await writeOrphan()]
    for (const note of before) expect(await seen(await send(outsider, note))).toEqual(never)
  })

  test('returns the 404 of an unknown object if only the id of the target is known', async () => {
    const note = await writeHidden()
    const never = await seen(
      await send(outsider, { target: newReference('CatalogItem', 'trade.customer') } as Note),
    )
    const elsewhere = { ...newReference('CatalogItem', 'trade.customer'), id: note.target.id }
    expect(await seen(await send(insider, { ...note, target: elsewhere }))).toEqual(never)
  })
})

test('after a caller is granted read access to an object, the caller can use the notes of the object', async () => {
  const note = await writeHidden()
  await showOnlyTo(host.database, note.target, ['insider', 'outsider'])
  const list = await outsider('GET', `/api/notes?${targetParameters(note.target)}`)
  expect(await list.json()).toMatchObject({ items: [note] })
  for (const [, send] of byId.filter(([what]) => !what.includes('another'))) {
    const { id } = await write(outsider, note.target)
    expect((await send(outsider, id)).status).toBe(200)
  }
})

test('callers without permissions cannot use the notes of an object that they can read', async () => {
  const visitor = await host.as({ subject: 'visitor', permissions: [] })
  const note = await write(insider, await host.addParent())
  for (const [, send] of byId) expect((await send(visitor, note.id)).status).toBe(403)
  expect((await byTarget[0]?.[1](visitor, note))?.status).toBe(403)
  expect(await (await byTarget[1]?.[1](visitor, note))?.json()).toEqual({ attachments: null, notes: null })
  expect((await byTarget[2]?.[1](visitor, note))?.status).toBe(403)
})
