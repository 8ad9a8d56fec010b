import { deactivateUser, holdTransaction, removeRoles, untilBlocked } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, type NotesHost, openNotesHost, refusalOf, write } from '../harness.ts'
import { removeParent } from '../parents.ts'
import { everyRow, storedEvents } from '../rows.ts'

let host: NotesHost
beforeAll(async () => {
  host = await openNotesHost()
})
afterAll(() => host.close())

test.each([
  ['an edit', 'the user is deactivated', 403, 'auth.inactive'],
  ['an edit', 'the user loses the role', 403, 'permission.denied'],
  ['an edit', 'the object is deleted', 404, 'notes.not_found'],
  ['a deletion', 'the user is deactivated', 403, 'auth.inactive'],
  ['a deletion', 'the user loses the role', 403, 'permission.denied'],
  ['a deletion', 'the object is deleted', 404, 'notes.not_found'],
])('%s fails if, while it waits for the row lock, %s', async (change, what, status, code) => {
  const subject = `clerk ${change} ${what}`
  const clerk = await host.as({ subject, permissions: allPermissions })
  const note: Note = await write(clerk, await host.addParent())
  const before = (await everyRow(host.database)).notes
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from notes.notes where id = ${note.id}::uuid for update`),
  )
  const answer =
    change === 'an edit'
      ? clerk('PUT', `/api/notes/${note.id}`, { body: { text: 'Too late', version: 1 } })
      : clerk('DELETE', `/api/notes/${note.id}?version=1`)
  await untilBlocked(host.database)
  if (what === 'the user is deactivated') await host.database.statement((tx) => deactivateUser(tx, subject))
  else if (what === 'the user loses the role') await host.database.statement((tx) => removeRoles(tx, subject))
  else await removeParent(host.database, note.target)
  await held.commit()
  expect(await refusalOf(await answer)).toMatchObject({ status, code })
  expect((await everyRow(host.database)).notes).toEqual(before)
  expect(await storedEvents(host.database, note.target)).toHaveLength(1)
})

test('a new note fails if its author, whose name has changed, is deactivated while the name is stored', async () => {
  const subject = 'renamed'
  const clerk = await host.as({ subject, permissions: allPermissions })
  const renamed = await host.as({ subject, name: 'Ada King' })
  const target = await host.addParent()
  await write(clerk, target)
  const held = await holdTransaction(host.database, (tx) => deactivateUser(tx, subject))
  const answer = renamed('POST', '/api/notes', { body: { target, text: 'Too late' } })
  await untilBlocked(host.database)
  await held.commit()
  expect(await refusalOf(await answer)).toMatchObject({ status: 403, code: 'auth.inactive' })
  expect(await storedEvents(host.database, target)).toHaveLength(1)
})

test('an open transaction that refers to the note delays neither its edit nor its deletion', async () => {
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const { id } = await write(clerk, await host.addParent())
  // The lock of a foreign key.
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from notes.notes where id = ${id}::uuid for key share`),
  )
  const body = { text: 'In time', version: 1 }
  expect((await clerk('PUT', `/api/notes/${id}`, { body })).status).toBe(200)
  expect((await clerk('DELETE', `/api/notes/${id}?version=2`)).status).toBe(200)
  await held.commit()
})
