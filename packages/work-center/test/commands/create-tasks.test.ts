import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeTasks } from '../../src/commands/close-tasks.ts'
import { type CreateTask, createTasks } from '../../src/commands/create-tasks.ts'
import { raiseVersions } from '../../src/commands/raise-versions.ts'
import { defineTask, type TaskDefinition } from '../../src/definitions/definition.ts'
import { approve, collectPayment } from '../definitions.ts'
import { administratorRoleCodes, clear, type Desk, entryUsers, openDesk, tasksOf } from '../desk.ts'
import { farAhead, sourceOf, versions } from '../items.ts'
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
    roleless: [],
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

/** Creates tasks, raises versions, and returns the new versions by user. */
function create(
  definition: TaskDefinition,
  ...tasks: readonly Partial<CreateTask>[]
): Promise<ReadonlyMap<string, number>> {
  const whole = (task: Partial<CreateTask>): CreateTask => ({
    ...{ deduplicationKey: 'SI-1', title: 'Collect', source: sourceOf() },
    ...{ assignedTo: { roleCode: 'trade.clerk' } },
    ...task,
  })
  return database.transaction(async (tx) => {
    const changes = await createTasks(tx, definition, tasks.length === 0 ? [whole({})] : tasks.map(whole))
    return raiseVersions(tx, administratorRoleCodes, changes)
  })
}
const close = (status: 'Completed' | 'Cancelled' = 'Completed') =>
  database.transaction(async (tx) => {
    const changes = await closeTasks(tx, status, [{ code: collectPayment.code, deduplicationKey: 'SI-1' }])
    return raiseVersions(tx, administratorRoleCodes, changes)
  })
const prefer = (name: string, isEnabled: boolean, code = collectPayment.code) =>
  database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.preferences (user_id, code, channel, is_enabled)
      values (${users[name]}::uuid, ${code}, 'InApp', ${isEnabled})`),
  )

describe('a task of a role reaches', () => {
  test('only active members of the role, and raises their version by one', async () => {
    const raised = await create(collectPayment)
    expect([...raised.keys()].toSorted()).toEqual(idsOf('one', 'two'))
    expect(new Set(raised.values())).toEqual(new Set([1]))
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
    expect(await versions(database)).toEqual(raised)
  })

  test('only members that have this kind of task switched on', async () => {
    await prefer('one', false)
    await prefer('two', false, 'trade.other')
    await create(collectPayment)
    expect(await entryUsers(database)).toEqual(idsOf('two'))
  })

  test('all members if its definition is mandatory, even members that had switched it off', async () => {
    await prefer('one', false)
    await create(mandatory)
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
  })

  test('only members that have switched it on if its definition is off by default', async () => {
    await prefer('two', true)
    await create(offByDefault)
    expect(await entryUsers(database)).toEqual(idsOf('two'))
  })

  test('no member if its definition does not list the role, and the task is not created', async () => {
    expect(await create(collectPayment, { assignedTo: { roleCode: 'trade.manager' } })).toEqual(new Map())
    expect(await tasksOf(database)).toEqual([])
    await create(approve, { assignedTo: { roleCode: 'trade.manager' } })
    expect(await entryUsers(database)).toEqual(idsOf('manager'))
  })

  test('no member while the role is switched off', async () => {
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

  test('members without permission to view its source, but they do not see it and keep their version', async () => {
    expect(await create(collectPayment, { source: sourceOf('trade.secret') })).toEqual(new Map())
    expect(await entryUsers(database)).toEqual(idsOf('one', 'two'))
    expect(await versions(database)).toEqual(new Map())
  })
})

describe('a task assigned to a user', () => {
  test.each([
    ['with a role of the definition receives it', 'one', 1],
    ['without a role of the definition does not receive it', 'manager', 0],
    ['with a deactivated account does not receive it', 'inactive', 0],
  ])('a user %s', async (_title, name, count) => {
    await create(collectPayment, { assignedTo: { userId: users[name] as string } })
    expect(await entryUsers(database)).toEqual(count === 0 ? [] : idsOf(name))
    expect(await tasksOf(database)).toHaveLength(count)
  })
})

describe('several tasks together', () => {
  test('each reach their own assignees, and each assignee’s version grows by one', async () => {
    const raised = await create(
      approve,
      { deduplicationKey: 'a' },
      { deduplicationKey: 'b', assignedTo: { userId: users['two'] as string } },
      { deduplicationKey: 'c', assignedTo: { roleCode: 'trade.manager' } },
      { deduplicationKey: 'd', assignedTo: { userId: users['roleless'] as string } },
      { deduplicationKey: 'e', source: sourceOf('trade.secret') },
      { deduplicationKey: 'f' },
    )
    expect(raised).toEqual(new Map(idsOf('one', 'two', 'manager').map((id) => [id as string, 1])))
    const rows = await database.read((db) =>
      db.execute<{
        key: string
        assigned_user_id: string | null
        role_code: string | null
        users: string[]
      }>(sql`
        select t.deduplication_key as key, t.assigned_user_id, r.code as role_code,
          (
            select jsonb_agg(e.user_id order by e.user_id)
            from work_center.entries e
            where e.item_id = t.id and e.role_id is not distinct from t.assigned_role_id
              and e.view_permission = t.resource_kind || '.' || t.resource_code || '.view'
              and e.resource_code = t.resource_code
          ) as users
        from work_center.tasks t
        left join core_audit.roles r on r.id = t.assigned_role_id
        order by t.deduplication_key`),
    )
    const ofClerks = { assigned_user_id: null, role_code: 'trade.clerk', users: idsOf('one', 'two') }
    expect([...rows]).toEqual([
      { key: 'a', ...ofClerks },
      { key: 'b', assigned_user_id: users['two'], role_code: null, users: idsOf('two') },
      { key: 'c', assigned_user_id: null, role_code: 'trade.manager', users: idsOf('manager') },
      { key: 'e', ...ofClerks },
      { key: 'f', ...ofClerks },
    ])
  })

  test('are created, left unchanged or reopened independently of each other', async () => {
    await create(collectPayment, { title: 'Closed' })
    await close()
    await create(collectPayment, { deduplicationKey: 'open', title: 'Open' })
    await prefer('one', false)
    const raised = await create(
      collectPayment,
      { title: 'Once more' },
      { deduplicationKey: 'new', title: 'New', dueAtUtc: farAhead, target: { code: 'x', parameters: {} } },
      { deduplicationKey: 'open', title: 'Ignored' },
    )
    expect([...raised.keys()].toSorted()).toEqual(idsOf('one', 'two'))
    expect((await tasksOf(database)).map(({ title, version }) => [title, version]).toSorted()).toEqual([
      ['New', 1],
      ['Once more', 3],
      ['Open', 1],
    ])
    // User `one` had switched off tasks of this kind. They lost the entry of the reopened task, but kept the entry of the
    // active task.
    expect(await entryUsers(database)).toEqual([...idsOf('one'), ...idsOf('two', 'two', 'two')].toSorted())
  })

  test('are all rolled back when one of them is invalid', async () => {
    await expect(create(collectPayment, { deduplicationKey: 'a' }, { title: '' })).rejects.toThrow()
    expect(await tasksOf(database)).toEqual([])
  })
})

test('half a surrogate pair in a text is replaced', async () => {
  await create(collectPayment, { title: `Cut ${'😀'.slice(0, 1)}` })
  expect(await tasksOf(database)).toMatchObject([{ title: 'Cut \ufffd' }])
})

describe('creating a task again', () => {
  test('does not change an active task or any version', async () => {
    await create(collectPayment)
    const before = [await tasksOf(database), await versions(database)]
    expect(await create(collectPayment, { title: 'Another title' })).toEqual(new Map())
    expect([await tasksOf(database), await versions(database)]).toEqual(before)
  })

  test.each(['Completed', 'Cancelled'] as const)(
    'reopens a task that is %s, with the new input and for the current recipients',
    async (status) => {
      await create(collectPayment)
      await close(status)
      await prefer('one', false)
      const raised = await create(collectPayment, { title: 'Once more', priority: 'High' })
      // The task disappears from the completed list of `one`, and is open again for `two`.
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

  test('creates only one task in two concurrent calls', async () => {
    const pools = [database, desk.openPool(), desk.openPool()]
    const raised = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (pools[n % 3] as Database).transaction(async (tx) => {
          const task = { deduplicationKey: 'same', title: `${n}`, source: sourceOf() }
          const changes = await createTasks(tx, collectPayment, [
            { ...task, assignedTo: { roleCode: 'trade.clerk' } },
          ])
          return raiseVersions(tx, administratorRoleCodes, changes)
        }),
      ),
    )
    expect(raised.filter(({ size }) => size > 0)).toHaveLength(1)
    expect(await tasksOf(database)).toMatchObject([{ version: 1 }])
    expect(new Set((await versions(database)).values())).toEqual(new Set([1]))
  })
})
