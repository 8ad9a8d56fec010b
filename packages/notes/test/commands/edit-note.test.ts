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
  bench = await openBench({ maxTextChars: 20 })
})
afterAll(() => bench.close())

/** Edits a note with Carl as the actor. */
const edit = (id: string, version: number, text = 'Called back'): Promise<Note> =>
  bench.database.transaction((tx) =>
    editNote(tx, bench.config, { id, text, version, ...trusting(bench.carl) }),
  )

test('an edit stores the new text, the next version, the editor and the time', async () => {
  const { id } = await addOne(bench)
  const before = await storedNote(bench.database, id)
  await edit(id, 1, ' Called\r\nback ')
  const after = await storedNote(bench.database, id)
  expect(after).toEqual({
    ...before,
    text: 'Called\r\nback',
    version: 2,
    updated_at: after.updated_at,
    updated_by_user_id: bench.carl.userId,
  })
  expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.created_at))
  expect(after.updated_at).not.toBe(before.updated_at)
})

test('the audit event of an edit contains the old and the new text and version', async () => {
  const { id, target } = await addOne(bench, { text: 'Call\nback' })
  await edit(id, 1, 'Called\r\nback')
  const [, event] = await storedEvents(bench.database, target)
  expect(event).toMatchObject({
    module: 'notes',
    target_kind: target.kind,
    target_type_code: target.typeCode,
    action_code: 'notes.updated',
    actor_user_id: bench.carl.userId,
    correlation_id: bench.carl.correlationId,
    metadata: { noteId: id, version: 2 },
    changes: [
      { fieldPath: 'text', oldValue: 'Call\nback', newValue: 'Called\r\nback' },
      { fieldPath: 'version', oldValue: 1, newValue: 2 },
    ],
  })
})

test('editNote returns the same note as a later query', async () => {
  const { id } = await addOne(bench)
  const note = await edit(id, 1)
  expect(await bench.database.read((db) => findNote(db, id))).toEqual(note)
  expect(note).toMatchObject({
    version: 2,
    createdByDisplayName: 'Clara Clerk',
    updatedByDisplayName: 'Carl Clerk',
  })
})

test('an edit creates a new version even if the text is unchanged', async () => {
  const { id, target } = await addOne(bench)
  expect(await edit(id, 1, 'Call back')).toMatchObject({ text: 'Call back', version: 2 })
  expect(await storedEvents(bench.database, target)).toHaveLength(2)
})

test('editNote accepts an id in upper case', async () => {
  const { id } = await addOne(bench)
  expect(await edit(id.toUpperCase(), 1)).toMatchObject({ id, version: 2 })
})

test('a rollback undoes the edit and its audit event', async () => {
  const { id } = await addOne(bench)
  const before = await everyRow(bench.database)
  const undone = bench.database.transaction(async (tx) => {
    await editNote(tx, bench.config, { id, text: 'Undone', version: 1, ...trusting(bench.carl) })
    throw new Error('undo')
  })
  await expect(undone).rejects.toThrow('undo')
  expect(await everyRow(bench.database)).toEqual(before)
})

test.each([
  [
    'an older version',
    1,
    'Text',
    { code: 'notes.version_conflict', context: { expectedVersion: 1, actualVersion: 2 } },
  ],
  [
    'a future version',
    3,
    'Text',
    { code: 'notes.version_conflict', context: { expectedVersion: 3, actualVersion: 2 } },
  ],
  ['an empty text', 2, ' ', { code: 'notes.text_required' }],
  [
    'a text that is too long',
    2,
    'x'.repeat(21),
    { code: 'notes.text_too_long', context: { maxChars: 20, actualChars: 21 } },
  ],
  ['a text that cannot be stored', 2, '\0', { code: 'notes.text_invalid' }],
])('an edit with %s is rejected and writes nothing', async (_what, version, text, refusal) => {
  const { id } = await addOne(bench)
  await edit(id, 1)
  const before = await everyRow(bench.database)
  expect(await refusalBy(edit(id, version, text))).toEqual(refusal)
  expect(await everyRow(bench.database)).toEqual(before)
})

test('an edit of a deleted note is rejected for every version and writes nothing', async () => {
  const { id } = await addOne(bench)
  await bench.database.transaction((tx) => deleteNote(tx, { id, version: 1, ...trusting(bench.clara) }))
  const before = await everyRow(bench.database)
  expect(await refusalBy(edit(id, 1))).toEqual({ code: 'notes.deleted' })
  expect(await refusalBy(edit(id, 7))).toEqual({ code: 'notes.deleted' })
  expect(await everyRow(bench.database)).toEqual(before)
})

test.each(['', 'not-a-uuid', `{${newId()}}`, newId()])(
  'editNote rejects the id %j with not_found',
  async (id) => {
    expect(await refusalBy(edit(id, 1))).toEqual({ code: 'notes.not_found' })
  },
)

test('an edit that waits for a concurrent edit then reads the new text and version', async () => {
  const { id, target } = await addOne(bench)
  const held = await holdTransaction(bench.database, (tx) =>
    editNote(tx, bench.config, { id, text: 'Clara was first', version: 1, ...trusting(bench.clara) }),
  )
  const stale = refusalBy(edit(id, 1))
  await untilBlocked(bench.database)
  const next = edit(id, 2, 'Carl was second')
  await untilBlocked(bench.database, 2)
  await held.commit()
  expect(await stale).toEqual({
    code: 'notes.version_conflict',
    context: { expectedVersion: 1, actualVersion: 2 },
  })
  expect(await next).toMatchObject({ text: 'Carl was second', version: 3 })
  const [, , event] = await storedEvents(bench.database, target)
  expect(event?.changes).toEqual([
    { fieldPath: 'text', oldValue: 'Clara was first', newValue: 'Carl was second' },
    { fieldPath: 'version', oldValue: 2, newValue: 3 },
  ])
})

test('an edit succeeds if the concurrent edit that it waits for is rolled back', async () => {
  const { id } = await addOne(bench)
  const held = await holdTransaction(bench.database, (tx) =>
    editNote(tx, bench.config, { id, text: 'Never', version: 1, ...trusting(bench.clara) }),
  )
  const waiting = edit(id, 1)
  await untilBlocked(bench.database)
  await held.rollback()
  expect(await waiting).toMatchObject({ text: 'Called back', version: 2 })
})

test('an edit does not wait for edits of other notes', async () => {
  const [one, other] = await Promise.all([addOne(bench), addOne(bench)])
  const held = await holdTransaction(bench.database, (tx) =>
    editNote(tx, bench.config, { id: one.id, text: 'Held', version: 1, ...trusting(bench.clara) }),
  )
  expect(await edit(other.id, 1)).toMatchObject({ version: 2 })
  await held.commit()
})
