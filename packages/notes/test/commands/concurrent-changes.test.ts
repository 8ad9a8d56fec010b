import { isKitError, newId } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import { addNote, deleteNote, editNote, listNotes } from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countNotes } from '../../src/queries/list-notes.ts'
import { addOne, addUser, type Bench, openBench, trusting } from '../bench.ts'
import { newReference } from '../parents.ts'
import { type StoredEvent, storedEvents, storedNote } from '../rows.ts'

let bench: Bench
let users: readonly Actor[]
beforeAll(async () => {
  bench = await openBench()
  users = [bench.clara, bench.carl, await addUser(bench.database, 'Cleo Clerk')]
})
afterAll(() => bench.close())

/** Resolves with the note, or with `null` for a refusal. Rejects with every other error. */
const succeeding = (promise: Promise<Note>): Promise<Note | null> =>
  promise.catch((error: unknown) => {
    if (isKitError(error)) return null
    throw error
  })

/** Returns the versions in the events of a note. Checks that each event's old values match the previous new values. */
function versionsIn(events: readonly StoredEvent[]): readonly number[] {
  const versions = events.flatMap(({ changes }) => changes.filter(({ fieldPath }) => fieldPath === 'version'))
  const texts = events.flatMap(({ changes }) => changes.filter(({ fieldPath }) => fieldPath === 'text'))
  for (const chain of [versions, texts]) {
    chain.reduce<unknown>((before, { oldValue, newValue }) => {
      expect(oldValue).toEqual(before)
      return newValue
    }, null)
  }
  return versions.map(({ newValue }) => Number(newValue))
}

test('exactly one of 30 concurrent edits of the same version succeeds', async () => {
  const { id, target } = await addOne(bench)
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      succeeding(
        bench.database.transaction((tx) =>
          editNote(tx, bench.config, { id, text: `Edit ${index}`, version: 1, ...trusting(bench.carl) }),
        ),
      ),
    ),
  )
  const [winner, ...others] = outcomes.filter((outcome) => outcome !== null)
  expect(others).toEqual([])
  expect(await storedNote(bench.database, id)).toMatchObject({ text: winner?.text, version: 2 })
  expect(versionsIn(await storedEvents(bench.database, target))).toEqual([1, 2])
})

test('if a note is concurrently edited and deleted, exactly one of the two changes succeeds', async () => {
  for (let round = 0; round < 15; round += 1) {
    const { id, target } = await addOne(bench)
    const [edit, deletion] = await Promise.all([
      succeeding(
        bench.database.transaction((tx) =>
          editNote(tx, bench.config, { id, text: 'Edited', version: 1, ...trusting(bench.carl) }),
        ),
      ),
      succeeding(
        bench.database.transaction((tx) => deleteNote(tx, { id, version: 1, ...trusting(bench.clara) })),
      ),
    ])
    expect([edit, deletion].filter((outcome) => outcome !== null)).toHaveLength(1)
    const row = await storedNote(bench.database, id)
    expect([row.version, row.deleted_at !== null]).toEqual(edit === null ? [1, true] : [2, false])
    expect(await storedEvents(bench.database, target)).toHaveLength(2)
  }
})

type Step = { readonly user: number; readonly note: number; readonly lag: number } & {
  readonly action: 'add' | 'edit' | 'delete'
}

/** Random rounds of steps. The steps of one round run concurrently. The rounds run one after another. */
const rounds = fc.array(
  fc.array(
    fc.record<Step>({
      action: fc.constantFrom('add', 'edit', 'edit', 'edit', 'delete'),
      user: fc.nat({ max: 2 }),
      note: fc.nat({ max: 5 }),
      // The difference between the newest version of the note and the version that the user sends.
      lag: fc.constantFrom(0, 0, 0, 1),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  { minLength: 1, maxLength: 6 },
)

/** Runs the rounds with a new object. Returns the object, the ids of its notes and the results of successful edits. */
async function play(steps: readonly (readonly Step[])[]) {
  const { database, config } = bench
  const target = newReference()
  const known = new Map<string, number>()
  const edits: Note[] = []

  const run = async ({ action, user, note, lag }: Step, round: number): Promise<void> => {
    const actor = users[user] as Actor
    const text = `${action} ${round} ${user}`
    const id = [...known.keys()][note]
    if (action === 'add' || id === undefined) {
      const added = await database.statement((tx) =>
        addNote(tx, config, { id: newId(), target, text, actor }),
      )
      known.set(added.id, added.version)
      return
    }
    const version = Math.max(1, (known.get(id) ?? 1) - lag)
    const changed = await succeeding(
      database.transaction((tx) =>
        action === 'edit'
          ? editNote(tx, config, { id, text, version, ...trusting(actor) })
          : deleteNote(tx, { id, version, ...trusting(actor) }),
      ),
    )
    if (changed === null) return
    known.set(id, Math.max(changed.version, known.get(id) ?? 1))
    if (action === 'edit') edits.push(changed)
  }
  for (const [round, together] of steps.entries()) {
    await Promise.all(together.map((step) => run(step, round)))
  }
  return { target, ids: [...known.keys()], edits }
}

test('after random concurrent changes, the rows, events, list and count are consistent', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (steps) => {
      const { target, ids, edits } = await play(steps)
      const events = await storedEvents(bench.database, target)
      const rows = await Promise.all(ids.map((id) => storedNote(bench.database, id)))
      for (const row of rows) {
        const own = events.filter(({ metadata }) => metadata.noteId === row.id)
        const ownEdits = edits.filter(({ id }) => id === row.id)
        expect(row.version).toBe(1 + ownEdits.length)
        expect(ownEdits.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: ownEdits.length }, (_, index) => index + 2),
        )
        expect(versionsIn(own)).toEqual(Array.from({ length: row.version }, (_, index) => index + 1))
        expect(own.filter((event) => event.action_code === 'notes.mark_for_deletion')).toHaveLength(
          row.deleted_at === null ? 0 : 1,
        )
      }
      const deletedCount = rows.filter((row) => row.deleted_at !== null).length
      expect(events).toHaveLength(ids.length + edits.length + deletedCount)

      const { items } = await bench.database.read((db) => listNotes(db, { target, limit: 100, cursor: null }))
      const active = rows.filter((row) => row.deleted_at === null).map(({ id }) => id)
      expect(items.map(({ id }) => id)).toEqual(active.toSorted().toReversed())
      const [counted] = await bench.database.read((db) =>
        db.execute<{ count: number }>(sql`select (${countNotes(target)})::int as count`),
      )
      expect(counted).toEqual({ count: items.length })
    }),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  )
})
