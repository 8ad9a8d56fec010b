import { deactivateUser } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  refusalOf,
  targetParameters,
  write,
} from '../harness.ts'
import { newReference } from '../parents.ts'

let host: NotesHost
beforeAll(async () => {
  host = await openNotesHost()
})
afterAll(() => host.close())

/** Returns the rows of `core_audit.users` for a subject. */
const recordsOf = (subject: string) =>
  host.database.read((db) =>
    db.execute<{ id: string; display_name: string; email: string }>(
      sql`select id, display_name, email from core_audit.users where subject = ${subject}`,
    ),
  )

const administrator = (subject: string, name = 'Ada Admin') =>
  host.as({ subject, name, email: `${subject}@example.com`, roles: ['platform-admin'] })

test('the first note of a new user creates a user record', async () => {
  const target = await host.addParent()
  const ada = await administrator('ada')
  const note = await write(ada, target)
  expect(await recordsOf('ada')).toEqual([
    { id: note.createdByUserId, display_name: 'Ada Admin', email: 'ada@example.com' },
  ])
  expect(note.createdByDisplayName).toBe('Ada Admin')
})

test('if a new user adds several notes concurrently, only one user record is created', async () => {
  const target = await host.addParent()
  const twin = await administrator('twin')
  const notes = await Promise.all(Array.from({ length: 6 }, () => write(twin, target)))
  const [record, ...others] = await recordsOf('twin')
  expect(others).toEqual([])
  expect(new Set(notes.map((note) => note.createdByUserId))).toEqual(new Set([record?.id]))
})

test('rejected requests do not create a user record', async () => {
  const refused = await administrator('refused')
  const target = newReference()
  for (const body of [{ target, text: 'Text' }, { target: await host.addParent(), text: ' ' }, '{']) {
    await refusalOf(await refused('POST', '/api/notes', { body }))
  }
  for (const path of [`/api/notes/${target.id}`, '/api/notes/x']) {
    await refusalOf(await refused('PUT', path, { body: { text: 'Text', version: 1 } }))
    await refusalOf(await refused('DELETE', `${path}?version=1`))
  }
  expect(await recordsOf('refused')).toEqual([])
})

test('a note contains the current names of its author and its last editor', async () => {
  const target = await host.addParent()
  const clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions })
  const note = await write(clerk, target)
  const married = await host.as({ subject: 'clerk', name: 'Clara Married' })
  const edited = await expectJson<Note>(
    await married('PUT', `/api/notes/${note.id}`, { body: { text: 'Edited', version: 1 } }),
    200,
  )
  expect(edited).toMatchObject({
    createdByUserId: note.createdByUserId,
    createdByDisplayName: 'Clara Married',
    updatedByDisplayName: 'Clara Married',
  })
  const list = await married('GET', `/api/notes?${targetParameters(target)}`)
  expect(await list.json()).toMatchObject({ items: [edited] })
})

test('a deactivated user cannot add notes, but existing notes still contain the name of the user', async () => {
  const target = await host.addParent()
  const leaver = await host.as({ subject: 'leaver', name: 'Leo Leaver', permissions: allPermissions })
  const note = await write(leaver, target)
  await host.database.statement((tx) => deactivateUser(tx, 'leaver'))
  expect(
    await refusalOf(await leaver('POST', '/api/notes', { body: { target, text: 'Text' } })),
  ).toMatchObject({
    status: 403,
    code: 'auth.inactive',
  })
  const ada = await administrator('ada')
  expect(await (await ada('GET', `/api/notes?${targetParameters(target)}`)).json()).toMatchObject({
    items: [{ id: note.id, createdByDisplayName: 'Leo Leaver' }],
  })
})
