import { newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { addNote, deleteNote, editNote, listNotes } from '@vertical-kit/notes'
import type { Note, NotePage } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countNotes } from '../../src/queries/list-notes.ts'
import { addOne, type Bench, openBench, trusting } from '../bench.ts'
import { newReference } from '../parents.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const list = (target: BusinessObjectReference, limit = 100, cursor: string | null = null) =>
  bench.database.read((db) => listNotes(db, { target, limit, cursor }))

async function count(target: BusinessObjectReference): Promise<number | undefined> {
  const [row] = await bench.database.read((db) =>
    db.execute<{ count: number }>(sql`select (${countNotes(target)})::int as count`),
  )
  return row?.count
}

/** Adds `length` notes to an object. Returns the notes, oldest first. */
function addMany(target: BusinessObjectReference, length: number): Promise<Note[]> {
  const { database, config, clara } = bench
  return database.transaction((tx) =>
    Promise.all(
      Array.from({ length }, (_, index) =>
        addNote(tx, config, { id: newId(), target, text: `Note ${index}`, actor: clara }),
      ),
    ),
  )
}

const remove = ({ id, version }: Note): Promise<Note> =>
  bench.database.transaction((tx) => deleteNote(tx, { id, version, ...trusting(bench.carl) }))

test('the list of an object without notes is empty', async () => {
  expect(await list(newReference())).toEqual({ items: [], nextCursor: null })
})

test('the list contains the notes with their current content, newest first', async () => {
  const target = newReference()
  const [first, second, third] = await addMany(target, 3)
  const edited = await bench.database.transaction((tx) =>
    editNote(tx, bench.config, {
      id: second?.id ?? '',
      text: 'Edited',
      version: 1,
      ...trusting(bench.carl),
    }),
  )
  expect(await list(target)).toEqual({ items: [third, edited, first], nextCursor: null })
})

test('the list excludes notes on objects with a different kind, type code or id', async () => {
  const target = newReference('Document', 'trade.sales_invoice')
  const note = await addOne(bench, { target })
  const others = [
    { ...target, kind: 'CatalogItem' as const },
    { ...target, typeCode: 'trade.sales_order' },
    newReference(),
  ]
  await Promise.all(others.map((other) => addOne(bench, { target: other })))
  expect((await list(target)).items).toEqual([note])
  expect(await count(target)).toBe(1)
  for (const other of others) expect(await count(other)).toBe(1)
})

test('the list and the count exclude deleted notes', async () => {
  const target = newReference()
  const [kept, gone] = await addMany(target, 2)
  expect(await count(target)).toBe(2)
  await remove(gone as Note)
  expect(await list(target)).toEqual({ items: [kept], nextCursor: null })
  expect(await count(target)).toBe(1)
})

test.each([
  [3, 3, null],
  [3, 4, null],
  [3, 2, 'the id of the second note'],
  [3, 1, 'the id of the first note'],
])('for %i notes and a limit of %i, nextCursor is %s', async (length, limit, end) => {
  const target = newReference()
  const newestFirst = (await addMany(target, length)).toReversed()
  const page = await list(target, limit)
  expect(page.items).toEqual(newestFirst.slice(0, limit))
  expect(page.nextCursor).toBe(end === null ? null : newestFirst[limit - 1]?.id)
})

test('a cursor stays valid after the note with this id is deleted', async () => {
  const target = newReference()
  const [oldest, middle, newest] = await addMany(target, 3)
  const page = await list(target, 2)
  expect(page).toEqual({ items: [newest, middle], nextCursor: middle?.id })
  await remove(middle as Note)
  expect(await list(target, 2, page.nextCursor)).toEqual({ items: [oldest], nextCursor: null })
})

test('while notes are added and deleted, the pages contain every existing note exactly once', async () => {
  const target = newReference()
  const there = await addMany(target, 250)
  const doomed = new Set(there.filter((_, index) => index % 25 === 0).map(({ id }) => id))
  const deleting = there.filter(({ id }) => doomed.has(id))
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const [page]: [NotePage, ...unknown[]] = await Promise.all([
      list(target, 7, cursor),
      addMany(target, 3),
      ...deleting.splice(0, 1).map(remove),
    ])
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
  expect(there.map(({ id }) => id).filter((id) => !seen.includes(id) && !doomed.has(id))).toEqual([])
  expect(deleting).toEqual([])
})

test('listed notes contain the current names of their users, and empty names for unknown users', async () => {
  const target = newReference()
  const unknownId = newId()
  const { id } = await addOne(bench, { target })
  await bench.database.statement((tx) =>
    tx.execute(sql`update notes.notes set updated_by_user_id = ${unknownId}::uuid where id = ${id}::uuid`),
  )
  const renamed = (name: string) =>
    bench.database.statement((tx) =>
      tx.execute(
        sql`update core_audit.users set display_name = ${name} where id = ${bench.clara.userId}::uuid`,
      ),
    )
  await renamed('Clara Married')
  expect((await list(target)).items).toMatchObject([
    { createdByDisplayName: 'Clara Married', updatedByUserId: unknownId, updatedByDisplayName: '' },
  ])
  await renamed(bench.clara.displayName)
})
