import { newId, recordAudit } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { untilBlocked } from '@vertical-kit/core-audit/testing'
import { addNote, deleteNote, editNote, listNotes } from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { eq } from 'drizzle-orm'
import { pgSchema, text, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApplicationTx, applications, driverNames } from '../../../vitest.applications.ts'
import { findNote } from '../src/queries/find-note.ts'
import { addOne, type Bench, openBench, refusalBy, trusting } from './bench.ts'
import { newReference } from './parents.ts'
import { storedEvents, storedNote } from './rows.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench({ maxTextChars: 20 })
})
afterAll(() => bench.close())

const outbox = () => createOutbox({ database: bench.database, config: outboxDefaults })

/** A table that belongs to the application. */
const parents = pgSchema('trade').table('parents', {
  id: uuid().primaryKey(),
  kind: text().notNull(),
  typeCode: text('type_code').notNull(),
})

const addParent = (tx: ApplicationTx, target: BusinessObjectReference) => tx.insert(parents).values(target)
const add = (tx: ApplicationTx, target: BusinessObjectReference, noteText = 'Call back'): Promise<Note> =>
  addNote(kitTx(tx), bench.config, { id: newId(), target, text: noteText, actor: bench.clara })
const edit = (tx: ApplicationTx, { id }: Note, noteText: string): Promise<Note> =>
  editNote(kitTx(tx), bench.config, { id, text: noteText, version: 1, ...trusting(bench.carl) })

/** Counts the application rows, notes, audit events and outbox events of an object. */
async function countsOf({ id }: BusinessObjectReference) {
  const [row] = await bench.database.read((db) =>
    db.execute(sql`
      select
        (select count(*)::int from trade.parents where id = ${id}::uuid) as parents,
        (select count(*)::int from notes.notes where target_id = ${id}::uuid) as notes,
        (select count(*)::int from core_audit.audit_events where target_id = ${id}::uuid) as events,
        (select count(*)::int from core_audit.outbox_events where subject = ${`document/${id}`}) as outbox`),
  )
  return row
}

const nothing = { parents: 0, notes: 0, events: 0, outbox: 0 }

describe.each(driverNames)('in the transaction of an application over %s', (driver) => {
  const open = (options = {}) => applications[driver](bench.url, options)

  /** Writes an application row, a note, an audit event and an outbox event for an object. */
  const writeAll = async (tx: ApplicationTx, target: BusinessObjectReference): Promise<void> => {
    const { userId: actorUserId, correlationId } = bench.clara
    await addParent(tx, target)
    await add(tx, target)
    await recordAudit(kitTx(tx), { module: 'trade', target, actionCode: 'made', actorUserId, correlationId })
    await outbox().append(kitTx(tx), {
      type: 'trade.made',
      source: 'trade',
      subject: `document/${target.id}`,
      actorUserId,
      correlationId,
      causationId: null,
      schemaVersion: 1,
      data: { text: 'ä"' },
    })
  }

  test("a note, its events and the application's row commit together", async () => {
    const { transaction } = open()
    const target = newReference()
    await transaction(async (tx) => {
      await writeAll(tx, target)
      expect(await countsOf(target)).toEqual(nothing)
    })
    expect(await countsOf(target)).toEqual({ parents: 1, notes: 1, events: 2, outbox: 1 })
  })

  test("a rollback undoes the note, its events and the application's row", async () => {
    const { transaction } = open()
    const target = newReference()
    const undone = transaction(async (tx) => {
      await writeAll(tx, target)
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    expect(await countsOf(target)).toEqual(nothing)
  })

  test("if the application does not catch a refusal, the application's row is rolled back", async () => {
    const { transaction } = open()
    const target = newReference()
    const refused = transaction(async (tx) => {
      await addParent(tx, target)
      await add(tx, target, ' ')
    })
    expect(await refusalBy(refused)).toEqual({ code: 'notes.text_required' })
    expect(await countsOf(target)).toEqual(nothing)
  })

  test('a refusal inside a savepoint of the kit rolls back only this savepoint', async () => {
    const { transaction } = open()
    const target = newReference()
    await transaction(async (tx) => {
      await addParent(tx, target)
      const note = await add(tx, target)
      const part = kitTx(tx).savepoint(async (scope) => {
        await editNote(scope, bench.config, { id: note.id, text: 'b', version: 1, ...trusting(bench.carl) })
        await editNote(scope, bench.config, { id: note.id, text: 'c', version: 1, ...trusting(bench.carl) })
      })
      expect(await refusalBy(part)).toMatchObject({ code: 'notes.version_conflict' })
      await tx.update(parents).set({ kind: 'CatalogItem' }).where(eq(parents.id, target.id))
    })
    expect(await countsOf(target)).toEqual({ parents: 1, notes: 1, events: 1, outbox: 0 })
  })

  test('a violated constraint inside a savepoint of the application rolls back only this savepoint', async () => {
    const { transaction } = open()
    const target = newReference()
    await transaction(async (tx) => {
      const { id } = await add(tx, target)
      const again = tx.transaction((nested) =>
        addNote(kitTx(nested), bench.config, { id, target, text: 'Twice', actor: bench.clara }),
      )
      await expect(again).rejects.toMatchObject({ code: '23505' })
      await addParent(tx, target)
    })
    expect(await countsOf(target)).toEqual({ parents: 1, notes: 1, events: 1, outbox: 0 })
  })

  test('commands return correct notes even if the session of the application has a different time zone', async () => {
    const { transaction } = open({ timeZone: 'America/St_Johns' })
    const target = newReference()
    const { created, edited, deleted, page } = await transaction(async (tx) => {
      const first = await add(tx, target)
      const second = await add(tx, target)
      const input = { id: second.id, version: 1, ...trusting(bench.carl) }
      return {
        created: first,
        edited: await edit(tx, first, 'Called back'),
        deleted: await deleteNote(kitTx(tx), input),
        page: await listNotes(kitTx(tx), { target, limit: 1, cursor: null }),
      }
    })
    const stored = await bench.database.read((db) => findNote(db, created.id))
    expect(edited).toEqual(stored)
    expect(created).toEqual({
      ...edited,
      text: 'Call back',
      version: 1,
      updatedAtUtc: created.createdAtUtc,
      updatedByUserId: bench.clara.userId,
      updatedByDisplayName: bench.clara.displayName,
    })
    expect(deleted).toMatchObject({ isDeleted: true })
    expect(page).toEqual(await bench.database.read((db) => listNotes(db, { target, limit: 1, cursor: null })))
  })

  test('an edit that waits for a concurrent edit of the same version is rejected with a conflict', async () => {
    const { transaction } = open()
    const note = await addOne(bench)
    const first = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const winner = transaction(async (tx) => {
      await edit(tx, note, 'First')
      first.resolve()
      await commit.promise
    })
    await first.promise
    const loser = refusalBy(transaction((tx) => edit(tx, note, 'Second')))
    await untilBlocked(bench.database)
    commit.resolve()
    await winner
    expect(await loser).toMatchObject({ code: 'notes.version_conflict' })
    expect(await storedNote(bench.database, note.id)).toMatchObject({ text: 'First', version: 2 })
  })

  test('exactly one of 30 concurrent edits by two applications commits, together with its row', async () => {
    const both = [open(), open()]
    const note = await addOne(bench)
    const targets = Array.from({ length: 30 }, () => newReference())
    const outcomes = await Promise.all(
      targets.map(async (target, index) => {
        const edited = both[index % both.length]?.transaction(async (tx) => {
          await addParent(tx, target)
          return edit(tx, note, `Edit ${index}`)
        })
        return edited?.catch((error: { code?: unknown }) => error.code)
      }),
    )
    const winner = outcomes.findIndex((outcome) => typeof outcome === 'object')
    expect(outcomes.toSpliced(winner, 1)).toEqual(Array.from({ length: 29 }, () => 'notes.version_conflict'))
    expect(await storedNote(bench.database, note.id)).toMatchObject({ text: `Edit ${winner}`, version: 2 })
    expect(await storedEvents(bench.database, note.target)).toHaveLength(2)
    const kept = await Promise.all(targets.map(countsOf))
    expect(kept.map((counts) => counts?.['parents'])).toEqual(
      targets.map((_, index) => (index === winner ? 1 : 0)),
    )
  })

  test('adding a note sends one statement, and an edit sends three, besides begin and commit', async () => {
    const { transaction, statements } = open()
    const target = newReference()
    await transaction((tx) => add(tx, target))
    expect(statements).toHaveLength(['begin', 'insert', 'commit'].length)
    const note = await addOne(bench)
    const before = statements.length
    await transaction((tx) => edit(tx, note, 'Edited'))
    expect(statements.slice(before)).toHaveLength(['begin', 'lock', 'update', 'find', 'commit'].length)
  })
})
