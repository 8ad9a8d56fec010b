import type { Caller } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import type { ActingAs } from '@vertical-kit/core-audit/objects'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createNotes, type Notes, notesFeature } from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applications, driverNames } from '../../../vitest.applications.ts'
import { type Bench, openBench, refusalBy } from './bench.ts'
import { allPermissions } from './harness.ts'
import { addParent, businessObjects, newReference, removeParent, showOnlyTo } from './parents.ts'
import { everyRow, storedEvents } from './rows.ts'

let bench: Bench
let notes: Notes
beforeAll(async () => {
  bench = await openBench({ maxTextChars: 20 })
  notes = notesWith('on')
})
afterAll(() => bench.close())

function notesWith(state: 'on' | 'off'): Notes {
  const features = createFeatureFlags({
    definitions: [notesFeature],
    values: new Map([[notesFeature.code, state === 'on']]),
  })
  return createNotes({ database: bench.database, businessObjects, features, config: bench.config })
}

const callerWith = (permissions: readonly string[], subject = 'clara'): Caller => ({
  subject,
  email: null,
  displayName: 'Clara Clerk',
  userId: bench.clara.userId,
  profileChanged: false,
  isPlatformAdministrator: false,
  isAdministrator: false,
  roles: [],
  permissions: new Set(permissions),
})

/** Adds a note to an object and returns the note. */
async function addOn(target: BusinessObjectReference): Promise<Note> {
  const { database, clara } = bench
  return database.transaction((tx) =>
    notes.add(tx, { as: 'system', actor: clara, target, text: 'Call back' }),
  )
}

/** The methods under test. Each function calls its method for a note, or for the target of the note. */
const methods = {
  add: (module: Notes, as: ActingAs, { target }: Note) =>
    bench.database.transaction((tx) => module.add(tx, { as, actor: bench.clara, target, text: 'More' })),
  edit: (module: Notes, as: ActingAs, { id }: Note) =>
    bench.database.transaction((tx) =>
      module.edit(tx, { as, actor: bench.clara, id, text: 'Called', version: 1 }),
    ),
  delete: (module: Notes, as: ActingAs, { id }: Note) =>
    bench.database.transaction((tx) => module.delete(tx, { as, actor: bench.clara, id, version: 1 })),
  list: (module: Notes, as: ActingAs, { target }: Note) =>
    bench.database.read((db) => module.list(db, { as, target, limit: 10, cursor: null })),
} as const

describe.each([
  ['add', 'system.notes.create', 'business_object.not_found'],
  ['edit', 'system.notes.update', 'notes.not_found'],
  ['delete', 'system.notes.delete', 'notes.not_found'],
  ['list', 'system.notes.read', 'business_object.not_found'],
] as const)('notes.%s', (method, permission, hiddenCode) => {
  const call = methods[method]

  test('succeeds for a caller with the permission and read access to the object', async () => {
    const note = await addOn(await addParent(bench.database))
    await expect(call(notes, callerWith([permission]), note)).resolves.toBeDefined()
  })

  test('rejects a caller without the permission and writes nothing', async () => {
    const note = await addOn(await addParent(bench.database))
    const before = await everyRow(bench.database)
    const others = allPermissions.filter((held) => held !== permission)
    expect(await refusalBy(call(notes, callerWith(others), note))).toEqual({
      code: 'permission.denied',
      context: { permission },
    })
    expect(await everyRow(bench.database)).toEqual(before)
  })

  test('rejects a caller without read access to the object and writes nothing', async () => {
    const target = await addParent(bench.database)
    const note = await addOn(target)
    await showOnlyTo(bench.database, target, ['carl'])
    const before = await everyRow(bench.database)
    expect(await refusalBy(call(notes, callerWith(allPermissions), note))).toEqual({ code: hiddenCode })
    expect(await everyRow(bench.database)).toEqual(before)
  })

  test('checks neither permission nor read access if `as` is system', async () => {
    const target = await addParent(bench.database)
    const note = await addOn(target)
    await removeParent(bench.database, target)
    await expect(call(notes, 'system', note)).resolves.toBeDefined()
  })

  test('rejects with feature.disabled while the feature is off, even if `as` is system', async () => {
    const note = await addOn(await addParent(bench.database))
    expect(await refusalBy(call(notesWith('off'), 'system', note))).toEqual({ code: 'feature.disabled' })
  })
})

test('notes.edit records the actor in the audit event, and checks the text limit and the version', async () => {
  const target = await addParent(bench.database)
  const { id } = await addOn(target)
  const { database, carl } = bench
  const edit = (text: string, version: number) =>
    database.transaction((tx) => notes.edit(tx, { as: 'system', actor: carl, id, text, version }))
  await edit('Called back', 1)
  expect(await refusalBy(edit('a'.repeat(21), 2))).toMatchObject({ code: 'notes.text_too_long' })
  expect(await refusalBy(edit('Too late', 1))).toMatchObject({ code: 'notes.version_conflict' })
  const events = await storedEvents(database, target)
  expect(events.map((event) => [event.action_code, event.actor_user_id])).toEqual([
    ['notes.created', bench.clara.userId],
    ['notes.updated', carl.userId],
  ])
})

test.each(['edit', 'delete'] as const)(
  'notes.%s reloads the rights of the caller after it has locked the note',
  async (method) => {
    const { database, clara: actor } = bench
    const note = await addOn(await addParent(database))
    let caller = callerWith(allPermissions)
    const held = await holdTransaction(database, (tx) =>
      notes.edit(tx, { as: 'system', actor, id: note.id, text: 'First', version: 1 }),
    )
    const input = { as: async () => caller, actor, id: note.id, version: 2 }
    const refusal = refusalBy(
      database.transaction((tx) =>
        method === 'edit' ? notes.edit(tx, { ...input, text: 'Second' }) : notes.delete(tx, input),
      ),
    )
    await untilBlocked(database)
    caller = callerWith([])
    await held.commit()
    expect(await refusal).toMatchObject({ code: 'permission.denied' })
  },
)

test('notes.add rejects a target with an unknown type code', async () => {
  const target = newReference('Document', 'trade.unknown')
  const { database, clara: actor } = bench
  const add = database.transaction((tx) =>
    notes.add(tx, { as: callerWith(allPermissions), actor, target, text: 'Call back' }),
  )
  expect(await refusalBy(add)).toEqual({ code: 'business_object.unsupported' })
})

describe.each(driverNames)('in the transaction of an application over %s', (driver) => {
  test('all methods see the changes of the transaction, and a rollback undoes these changes', async () => {
    const { transaction } = applications[driver](bench.url)
    const target = await addParent(bench.database)
    const asCaller = { as: callerWith(allPermissions), actor: bench.clara }
    const undone = transaction(async (tx) => {
      const kit = kitTx(tx)
      const kept = await notes.add(kit, { ...asCaller, target, text: 'One' })
      const gone = await notes.add(kit, { ...asCaller, target, text: 'Two' })
      const edited = await notes.edit(kit, { ...asCaller, id: kept.id, text: 'One more', version: 1 })
      await notes.delete(kit, { ...asCaller, id: gone.id, version: 1 })
      const page = await notes.list(kit, { as: asCaller.as, target, limit: 10, cursor: null })
      expect(page).toEqual({ items: [edited], nextCursor: null })
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    expect(await storedEvents(bench.database, target)).toEqual([])
  })
})
