import type { Database } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeTask } from '../../src/commands/close-task.ts'
import { type CreateTask, createTask } from '../../src/commands/create-task.ts'
import { raiseVersions } from '../../src/commands/raise-versions.ts'
import { defineTask, type TaskDefinition } from '../../src/definitions/definition.ts'
import { approve, collectPayment } from '../definitions.ts'
import { administratorRoleCodes, clear, type Desk, entryUsers, openDesk, tasksOf } from '../desk.ts'
import { sourceOf, versions } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let database: Database
const users: Record<string, string> = {}
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  for (const [name, roles] of Object.entries({
    one: ['trade.clerk'],
    two: ['trade.clerk', 'trade.auditor'],
    inactive: ['trade.clerk'],
    manager: ['trade.manager'],
    nobody: [],
  })) {
    users[name] = await addUser(database, name, roles)
  }
  await database.statement((tx) =>
    tx.execute(sql`update core_audit.users set is_active = false where subject = 'inactive'`),
  )
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const idsOf = (...names: readonly string[]) => names.map((name) => users[name]).toSorted()
const mandatory = defineTask({ ...collectPayment, userCanDisable: false })
const offByDefault = defineTask({ ...collectPayment, defaultEnabled: false })

/** Creates, raises, and answers the versions that were raised, by user. */
function create(
  definition: TaskDefinition,
  task: Partial<CreateTask> = {},
): Promise<ReadonlyMap<string, number>> {
  return database.transaction(async (tx) => {
    const changes = await createTask(tx, definition, {
      ...{ deduplicationKey: 'SI-1', title: 'Collect', source: sourceOf() },
      ...{ assignedTo: { roleCode: 'trade.clerk' } },
      ...task,
    })
    return raiseVersions(tx, administratorRoleCodes, changes)
  })
}
const close = (status: 'Completed' | 'Cancelled' = 'Completed') =>
  database.transaction(async (tx) => {
    const changes = await closeTask(tx, collectPayment, { deduplicationKey: 'SI-1', status })
    return raiseVersions(tx, administratorRoleCodes, changes)
  })
const prefer = (name: string, isEnabled: boolean, code = collectPayment.code) =>
  database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.preferences (user_id, code, channel, is_enabled)
      values (${users[name]}::uuid, ${code}, 'InApp', ${isEnabled})`),
  )

describe('a task of a role is for', () => {
  test('its active members, one version each, and nobody else', async () => {
    const raised = await create(collectPayment)
    expect([...raised.keys()].toSorted()).toEqual(idsOf('one', 'two'))
    expect(new Set(raised.values())).toEqual(new Set([1]))
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
    expect(await versions(database)).toEqual(raised)
  })

  test('those of them who have not switched it off', async () => {
    await prefer('one', false)
    await prefer('two', false, 'trade.other')
    await create(collectPayment)
    expect(await entryUsers(database)).toEqual(idsOf('two'))
  })

  test('all of them when it cannot be switched off, whatever they once chose', async () => {
    await prefer('one', false)
    await create(mandatory)
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
  })

  test('those who have switched it on when it is off by default', async () => {
    await prefer('two', true)
    await create(offByDefault)
    expect(await entryUsers(database)).toEqual(idsOf('two'))
  })

  test('none of a role that the definition is not for, and then it is not there', async () => {
    expect(await create(collectPayment, { assignedTo: { roleCode: 'trade.manager' } })).toEqual(new Map())
    expect(await tasksOf(database)).toEqual([])
    await create(approve, { assignedTo: { roleCode: 'trade.manager' } })
    expect(await entryUsers(database)).toEqual(idsOf('manager'))
  })

  test('nobody while the role is switched off', async () => {
    const set = (isActive: boolean) =>
      database.statement((tx) =>
        tx.execute(sql`update core_audit.roles set is_active = ${isActive} where code = 'trade.clerk'`),
      )
    await set(false)
    const raised = await create(collectPayment)
    await set(true)
    expect(raised).toEqual(new Map())
    expect(await tasksOf(database)).toEqual([])
  })

  test('members who may not view its source, though they neither see it nor get a version', async () => {
    expect(await create(collectPayment, { source: sourceOf('trade.secret') })).toEqual(new Map())
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
    expect(await versions(database)).toEqual(new Map())
  })
})

describe('a task of a user', () => {
  test.each([
    ['who has one of the roles it is for', 'one', 1],
    ['who has none of them', 'manager', 0],
    ['who is switched off', 'inactive', 0],
  ])('%s', async (_who, name, count) => {
    await create(collectPayment, { assignedTo: { userId: users[name] as string } })
    expect(await entryUsers(database)).toEqual(count === 0 ? [] : idsOf(name))
    expect(await tasksOf(database)).toHaveLength(count)
  })
})

describe('creating again', () => {
  test('while it is active changes nothing, and raises no version', async () => {
    await create(collectPayment)
    const before = [await tasksOf(database), await versions(database)]
    expect(await create(collectPayment, { title: 'Another title' })).toEqual(new Map())
    expect([await tasksOf(database), await versions(database)]).toEqual(before)
  })

  test.each(['Completed', 'Cancelled'] as const)(
    'after it was %s opens it as this call says, for who may receive it now',
    async (status) => {
      await create(collectPayment)
      await close(status)
      await prefer('one', false)
      const raised = await create(collectPayment, { title: 'Once more', priority: 'High' })
      // One had it among what is done, and has it no more; two finds it open again.
      expect(raised).toEqual(new Map(idsOf('one', 'two').map((id) => [id as string, 3])))
      expect(await tasksOf(database)).toMatchObject([
        { title: 'Once more', status: 'Open', version: 3, is_closed: false },
      ])
      expect(await entryUsers(database)).toEqual(idsOf('two'))
      const [entry] = await database.read((db) =>
        db.execute(
          sql`select is_open, is_visible, read_at, snoozed_until, priority from work_center.entries`,
        ),
      )
      expect(entry).toEqual({
        ...{ is_open: true, is_visible: true, read_at: null, snoozed_until: null },
        priority: 'High',
      })
    },
  )

  test('of two at once one makes it', async () => {
    const pools = [database, desk.openPool(), desk.openPool()]
    const raised = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (pools[n % 3] as Database).transaction(async (tx) => {
          const task = { deduplicationKey: 'same', title: `${n}`, source: sourceOf() }
          const changes = await createTask(tx, collectPayment, {
            ...task,
            assignedTo: { roleCode: 'trade.clerk' },
          })
          return raiseVersions(tx, administratorRoleCodes, changes)
        }),
      ),
    )
    expect(raised.filter(({ size }) => size > 0)).toHaveLength(1)
    expect(await tasksOf(database)).toMatchObject([{ version: 1 }])
    expect(new Set((await versions(database)).values())).toEqual(new Set([1]))
  })
})
