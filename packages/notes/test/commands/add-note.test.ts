import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import { addNote } from '@vertical-kit/notes'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findNote } from '../../src/queries/find-note.ts'
import { addOne, type Bench, openBench, refusalBy } from '../bench.ts'
import { newReference } from '../parents.ts'
import { everyRow, storedEvents, storedNote } from '../rows.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench({ maxTextChars: 10 })
})
afterAll(() => bench.close())

test('a new note has version 1, and its author is also its last editor', async () => {
  const note = await addOne(bench, { text: ' Call\r\nback\t' })
  const row = await storedNote(bench.database, note.id)
  expect(row).toEqual({
    id: note.id,
    target_kind: note.target.kind,
    target_type_code: note.target.typeCode,
    target_id: note.target.id,
    text: 'Call\r\nback',
    version: 1,
    created_at: row.created_at,
    created_by_user_id: bench.clara.userId,
    updated_at: row.created_at,
    updated_by_user_id: bench.clara.userId,
    deleted_at: null,
  })
})

test('the audit event of a new note contains its exact text and its version', async () => {
  const note = await addOne(bench, { text: 'Call\r\nback' })
  const events = await storedEvents(bench.database, note.target)
  expect(events).toEqual([
    {
      id: expect.any(String),
      module: 'notes',
      target_kind: 'Document',
      target_type_code: 'trade.sales_invoice',
      target_id: note.target.id,
      action_code: 'notes.created',
      occurred_at: expect.any(String),
      actor_user_id: bench.clara.userId,
      correlation_id: bench.clara.correlationId,
      metadata: { noteId: note.id, version: 1 },
      changes: [
        { fieldPath: 'text', oldValue: null, newValue: 'Call\r\nback' },
        { fieldPath: 'version', oldValue: null, newValue: 1 },
      ],
    },
  ])
})

test('addNote returns the same note as a later query', async () => {
  const note = await addOne(bench)
  expect(await bench.database.read((db) => findNote(db, note.id))).toEqual(note)
  expect(note).toMatchObject({ version: 1, isDeleted: false, createdByDisplayName: 'Clara Clerk' })
})

test('a single statement writes the note and its audit event', async () => {
  // `addOne` uses `database.statement`, which allows only one statement.
  const note = await addOne(bench)
  const [row] = await bench.database.read((db) =>
    db.execute<{ same: boolean }>(sql`
      select n.xmin = e.xmin as same
      from notes.notes n
      join core_audit.audit_events e on e.target_id = n.target_id
      where n.id = ${note.id}::uuid`),
  )
  expect(row).toEqual({ same: true })
})

test('if the note cannot be inserted, no audit event is stored', async () => {
  const { database, config, carl } = bench
  const { id, target } = await addOne(bench)
  const twin = { id, target, text: 'Twin', actor: carl }
  const failure: unknown = await database
    .statement((tx) => addNote(tx, config, twin))
    .catch((error: unknown) => error)
  expect(brokenConstraint(failure)).toBe('notes_pkey')
  expect(await storedEvents(database, target)).toHaveLength(1)
  expect((await storedNote(database, id)).text).toBe('Call back')
})

test('a rollback removes the note and its audit event', async () => {
  const { database, config, clara } = bench
  const before = await everyRow(database)
  const undone = database.transaction(async (tx) => {
    await addNote(tx, config, { id: newId(), target: newReference(), text: 'Undone', actor: clara })
    throw new Error('undo')
  })
  await expect(undone).rejects.toThrow('undo')
  expect(await everyRow(database)).toEqual(before)
})

test.each([
  [' \r\n', { code: 'notes.text_required' }],
  ['12345678901', { code: 'notes.text_too_long', context: { maxChars: 10, actualChars: 11 } }],
  ['a\0b', { code: 'notes.text_invalid' }],
  ['\ud800', { code: 'notes.text_invalid' }],
])('addNote rejects the text %j and writes nothing', async (text, refusal) => {
  const before = await everyRow(bench.database)
  expect(await refusalBy(addOne(bench, { text }))).toEqual(refusal)
  expect(await everyRow(bench.database)).toEqual(before)
})
