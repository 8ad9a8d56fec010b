import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeTasks } from '../../src/commands/close-tasks.ts'
import { raiseVersions } from '../../src/commands/raise-versions.ts'
import { collectPayment } from '../definitions.ts'
import { administratorRoleCodes, clear, type Desk, openDesk, tasksOf } from '../desk.ts'
import { addTask, entriesOf, farAhead, sourceOf, versions } from '../items.ts'
import { addUser, takeRole } from '../people.ts'

let desk: Desk
let database: Database
let one: string
let two: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  one = await addUser(database, 'one', ['trade.clerk'])
  two = await addUser(database, 'two', ['trade.clerk'])
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const close = (status: 'Completed' | 'Cancelled', ...keys: readonly string[]) =>
  database.transaction(async (tx) => {
    const names = (keys.length === 0 ? ['SI-1'] : keys).map((deduplicationKey) => ({
      code: collectPayment.code,
      deduplicationKey,
    }))
    return raiseVersions(tx, administratorRoleCodes, await closeTasks(tx, status, names))
  })
const claimBy = (userId: string) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`
      update work_center.tasks set status = 'InProgress', claimed_by_user_id = ${userId}::uuid, version = version + 1`)
    await tx.execute(sql`
      update work_center.entries
      set is_visible = user_id = ${userId}::uuid,
        role_id = case when user_id = ${userId}::uuid then null else role_id end`)
  })

describe.each(['Completed', 'Cancelled'] as const)('closing a task as %s', (status) => {
  test('closes the task for all recipients at the same instant, and raises each of their versions by one', async () => {
    const id = await addTask(database, { deduplicationKey: 'SI-1', dueAtUtc: farAhead })
    expect(await close(status)).toEqual(
      new Map([
        [one, 2],
        [two, 2],
      ]),
    )
    expect(await tasksOf(database)).toMatchObject([{ id, status, version: 2, is_closed: true }])
    for (const entry of await entriesOf(database, id)) {
      expect(entry).toMatchObject({ is_open: false, is_visible: true, changes_at: null })
    }
    const [times] = await database.read((db) =>
      db.execute(sql`
        select count(distinct e.sort_at)::int as entry_times, bool_and(e.sort_at = t.sort_at) as is_same,
          bool_and(abs(extract(epoch from t.closed_at - t.sort_at)) < 0.001) as is_closing_time
        from work_center.entries e join work_center.tasks t on t.id = e.item_id`),
    )
    expect(times).toEqual({ entry_times: 1, is_same: true, is_closing_time: true })
  })

  test('has no effect when the task is already closed with the same or another status', async () => {
    await addTask(database, { deduplicationKey: 'SI-1' })
    await close(status)
    const before = [await tasksOf(database), await versions(database)]
    expect(await close('Completed')).toEqual(new Map())
    expect(await close('Cancelled')).toEqual(new Map())
    expect([await tasksOf(database), await versions(database)]).toEqual(before)
  })

  test('leaves a claimed task visible only to its claimer', async () => {
    const id = await addTask(database, { deduplicationKey: 'SI-1' })
    await claimBy(two)
    expect(await close(status)).toEqual(new Map([[two, 2]]))
    const entries = await entriesOf(database, id)
    expect(entries.map((entry) => [entry.user_id, entry.is_open, entry.is_visible])).toEqual(
      [
        [one, false, false],
        [two, false, true],
      ].toSorted(),
    )
  })
})

test('one call closes several active tasks, and ignores closed and unknown tasks', async () => {
  for (const key of ['a', 'b', 'c']) await addTask(database, { deduplicationKey: key })
  await close('Cancelled', 'c')
  expect(await close('Completed', 'a', 'b', 'c', 'never')).toEqual(
    new Map([
      [one, 5],
      [two, 5],
    ]),
  )
  expect((await tasksOf(database)).map((task) => [task.deduplication_key, task.status])).toEqual([
    ['a', 'Completed'],
    ['b', 'Completed'],
    ['c', 'Cancelled'],
  ])
})

test('closing a task raises no version for users that cannot view the source or have lost the role', async () => {
  await addTask(database, { deduplicationKey: 'SI-1', source: sourceOf('trade.secret') })
  expect(await close('Completed')).toEqual(new Map())
  await addTask(database, { deduplicationKey: 'SI-2' })
  await takeRole(database, { userId: one }, 'trade.clerk')
  expect(await close('Completed', 'SI-2')).toEqual(new Map([[two, 2]]))
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.user_roles (user_id, role_id)
      select ${one}::uuid, id from core_audit.roles where code = 'trade.clerk'`),
  )
})

test('closing a task raises the version of its assignee without any role, whose rights can come from a token', async () => {
  const assignee = await addUser(database, 'assignee', ['trade.clerk'])
  await addTask(database, { deduplicationKey: 'SI-1', assignedTo: { userId: assignee } })
  await takeRole(database, { userId: assignee }, 'trade.clerk')
  expect(await close('Completed')).toEqual(new Map([[assignee, 2]]))
})

test('closing an unknown task creates no task', async () => {
  expect(await close('Completed', 'never')).toEqual(new Map())
  expect(await tasksOf(database)).toEqual([])
})
