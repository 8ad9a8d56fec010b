import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, expectJson, type NotesHost, openNotesHost, refusalOf, write } from '../harness.ts'
import { everyRow, storedEvents } from '../rows.ts'

const statements = recordStatements()
let host: NotesHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openNotesHost({ observe: statements.observe })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const writeOne = async () => write(clerk, await host.addParent())
const remove = (id: string, query: string) => clerk('DELETE', `/api/notes/${id}${query}`)

test('DELETE /api/notes/{id} returns 200 with the deleted note', async () => {
  const note = await writeOne()
  const response = await remove(note.id, '?version=1')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await expectJson<Note>(response, 200)).toEqual({ ...note, isDeleted: true })
})

test('a repeated deletion with any version returns 200 with the same note and changes nothing', async () => {
  const { id, target } = await writeOne()
  const first = await (await remove(id, '?version=1')).text()
  const before = await everyRow(host.database)
  for (const version of [1, 2, 2_147_483_647]) {
    const repeat = await remove(id, `?version=${version}`)
    expect([repeat.status, await repeat.text()]).toEqual([200, first])
  }
  expect(await everyRow(host.database)).toEqual(before)
  expect(await storedEvents(host.database, target)).toHaveLength(2)
})

test('a deletion accepts an id in upper case and ignores unknown query parameters', async () => {
  const { id } = await writeOne()
  const deleted = await expectJson<Note>(await remove(id.toUpperCase(), '?version=1&force=true'), 200)
  expect(deleted).toMatchObject({ id, isDeleted: true })
})

test.each(['', '?version=', '?version=1.0', '?version=+1', '?version=01', '?version=one', '?Version=1'])(
  'a deletion with the query %j returns 400, unless the note is already deleted',
  async (query) => {
    const { id } = await writeOne()
    const invalid = { status: 400, code: 'request.invalid', errors: [{ path: 'version' }] }
    const before = await everyRow(host.database)
    expect(await refusalOf(await remove(id, query))).toMatchObject(invalid)
    expect(await everyRow(host.database)).toEqual(before)
    const deleted = await expectJson(await remove(id, '?version=1'), 200)
    expect(await expectJson(await remove(id, query), 200)).toEqual(deleted)
  },
)

test.each([-1, 0, 1, 3, 2_147_483_648, 99_999_999_999, 9_007_199_254_740_991])(
  'a deletion with version %i returns 409 if the note has version 2',
  async (version) => {
    const { id } = await writeOne()
    await expectJson(await clerk('PUT', `/api/notes/${id}`, { body: { text: 'Second', version: 1 } }), 200)
    const before = await everyRow(host.database)
    expect(await refusalOf(await remove(id, `?version=${version}`))).toMatchObject({
      status: 409,
      code: 'notes.version_conflict',
      context: { expectedVersion: version, actualVersion: 2 },
    })
    expect(await everyRow(host.database)).toEqual(before)
  },
)

test('concurrent deletions of a note return the same note and write one audit event', async () => {
  const { id, target } = await writeOne()
  const bodies = await Promise.all(
    Array.from({ length: 8 }, async () => expectJson<Note>(await remove(id, '?version=1'), 200)),
  )
  for (const body of bodies) expect(body).toEqual(bodies[0])
  expect((await storedEvents(host.database, target)).map((event) => event.action_code)).toEqual([
    'notes.created',
    'notes.mark_for_deletion',
  ])
})

test('a deletion without the permission returns 403, even if the version is missing', async () => {
  const permissions = allPermissions.filter((name) => !name.endsWith('.delete'))
  const other = await host.as({ subject: 'other', permissions })
  const { id } = await writeOne()
  expect(await refusalOf(await other('DELETE', `/api/notes/${id}`))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.delete' },
  })
})

test('a deletion without a token returns 401', async () => {
  const { id } = await writeOne()
  const response = await host.app.request(`/api/notes/${id}?version=1`, { method: 'DELETE' })
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})

test('a deletion sends seven statements in addition to the query for the permissions', async () => {
  const { id } = await writeOne()
  statements.reset()
  await expectJson(await remove(id, '?version=1'), 200)
  // Two statements read note and object, three lock the note and check access again, and two change and read the note.
  expect(statements.count).toBe(2 + 3 + 2)
})
