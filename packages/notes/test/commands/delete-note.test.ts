import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { deleteNote, editNote } from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findNote } from '../../src/queries/find-note.ts'
import { addOne, type Bench, openBench, refusalBy, trusting } from '../bench.ts'
import { everyRow, storedEvents, storedNote } from '../rows.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

/** Deletes a note with Carl as the actor. */
const remove = (id: string, version: number): Promise<Note> =>
  bench.database.transaction((tx) => deleteNote(tx, { id, version, ...trusting(bench.carl) }))

test('a deletion sets deleted_at and changes no other column', async () => {
  const { id } = await addOne(bench)
  const before = await storedNote(bench.database, id)
  await remove(id, 1)
  const after = await storedNote(bench.database, id)
  expect(after).toEqual({ ...before, deleted_at: expect.any(String) })
})

test('the audit event of a deletion contains the exact last text of the note', async () => {
  const { id, target } = await addOne(bench, { text: 'Call\nback' })
  await bench.database.transaction((tx) =>
    editNote(tx, bench.config, { id, text: 'Called\r\nback', version: 1, ...trusting(bench.clara) }),
  )
  await remove(id, 2)
  const [, , event] = await storedEvents(bench.database, target)
  expect(event).toMatchObject({
    module: 'notes',
    target_kind: target.kind,
    target_type_code: target.typeCode,
    action_code: 'notes.mark_for_deletion',
    actor_user_id: bench.carl.userId,
    correlation_id: bench.carl.correlationId,
    metadata: { noteId: id, version: 2 },
    changes: [
      { fieldPath: 'text', oldValue: 'Called\r\nback', newValue: null },
      { fieldPath: 'isDeleted', oldValue: false, newValue: true },
    ],
  })
})

test('deleteNote returns the note with isDeleted set to true', async () => {
  const note = await addOne(bench)
  const deleted = await remove(note.id, 1)
  expect(deleted).toEqual({ ...note, isDeleted: true })
  expect(await bench.database.read((db) => findNote(db, note.id))).toEqual(deleted)
})

test.each([1, 2, 99])(
  'a repeated deletion with version %i returns the same note and writes nothing',
  async (version) => {
    const { id } = await addOne(bench)
    const first = await remove(id, 1)
    const before = await everyRow(bench.database)
    expect(await remove(id, version)).toEqual(first)
    expect(await everyRow(bench.database)).toEqual(before)
  },
)

test.each([
  ['an older version', 1],
  ['a future version', 3],
])('a deletion with %s is rejected and writes nothing', async (_what, version) => {
  const { id } = await addOne(bench)
  await bench.database.transaction((tx) =>
    editNote(tx, bench.config, { id, text: 'Called back', version: 1, ...trusting(bench.clara) }),
  )
  const before = await everyRow(bench.database)
  expect(await refusalBy(remove(id, version))).toEqual({
    code: 'notes.version_conflict',
    context: { expectedVersion: version, actualVersion: 2 },
  })
  expect(await everyRow(bench.database)).toEqual(before)
})

test.each(['', 'not-a-uuid', `{${newId()}}`, newId()])(
  'deleteNote rejects the id %j with not_found',
  async (id) => {
    expect(await refusalBy(remove(id, 1))).toEqual({ code: 'notes.not_found' })
  },
)

test('a rollback undoes the deletion and its audit event', async () => {
  const { id } = await addOne(bench)
  const before = await everyRow(bench.database)
  const undone = bench.database.transaction(async (tx) => {
    await deleteNote(tx, { id, version: 1, ...trusting(bench.carl) })
    throw new Error('undo')
  })
  await expect(undone).rejects.toThrow('undo')
  expect(await everyRow(bench.database)).toEqual(before)
})

test('a deletion that waits for a concurrent edit is rejected with a version conflict', async () => {
  const { id } = await addOne(bench)
  const held = await holdTransaction(bench.database, (tx) =>
    editNote(tx, bench.config, { id, text: 'Wait', version: 1, ...trusting(bench.clara) }),
  )
  const deletion = refusalBy(remove(id, 1))
  await untilBlocked(bench.database)
  await held.commit()
  expect(await deletion).toEqual({
    code: 'notes.version_conflict',
    context: { expectedVersion: 1, actualVersion: 2 },
  })
  expect(await storedNote(bench.database, id)).toMatchObject({ text: 'Wait', deleted_at: null })
})

test('an edit that waits for a concurrent deletion is rejected', async () => {
  const { id, target } = await addOne(bench)
  const held = await holdTransaction(bench.database, (tx) =>
    deleteNote(tx, { id, version: 1, ...trusting(bench.clara) }),
  )
  const edit = refusalBy(
    bench.database.transaction((tx) =>
      editNote(tx, bench.config, { id, text: 'Too late', version: 1, ...trusting(bench.carl) }),
    ),
  )
  await untilBlocked(bench.database)
  await held.commit()
  expect(await edit).toEqual({ code: 'notes.deleted' })
  expect((await storedNote(bench.database, id)).text).toBe('Call back')
  expect((await storedEvents(bench.database, target)).map((event) => event.action_code)).toEqual([
    'notes.created',
    'notes.mark_for_deletion',
  ])
})

test('two concurrent deletions of the same note succeed and write one audit event', async () => {
  const { id, target } = await addOne(bench)
  const held = await holdTransaction(bench.database, (tx) =>
    deleteNote(tx, { id, version: 1, ...trusting(bench.clara) }),
  )
  const second = remove(id, 1)
  await untilBlocked(bench.database)
  expect(await held.commit()).toEqual(await second)
  const deletions = (await storedEvents(bench.database, target)).filter(
    (event) => event.action_code === 'notes.mark_for_deletion',
  )
  expect(deletions).toMatchObject([{ actor_user_id: bench.clara.userId }])
})
