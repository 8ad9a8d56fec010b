import type { Database } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../src/clock.ts'
import type { VersionChanges } from '../src/inbox/version-changes.ts'
import { createRetention } from '../src/retention.ts'
import { definitions } from './definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, entryUsers, openDesk, tasksOf } from './desk.ts'
import { addNotification, addTask, closeTask, sourceOf, versions } from './items.ts'
import { addUser } from './people.ts'

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

const prune = (announced: VersionChanges[] = [], pool = database) =>
  createRetention({
    ...{ database: pool, config, administratorRoleCodes, batchSize: 2 },
    announce: (changes) => announced.push(changes),
  }).runOnce(new AbortController().signal)
const tick = () =>
  createClock({ database, definitions, config, administratorRoleCodes, announce: () => {} }).runOnce(
    new AbortController().signal,
  )

/** Closes a task, and changes its closing time to `ms` before now. */
async function closeAgo(id: string, ms: number): Promise<void> {
  await closeTask(database, id)
  await database.statement((tx) =>
    tx.execute(sql`
      update work_center.tasks
      set closed_at = clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)
      where id = ${id}::uuid`),
  )
}
const notificationCount = async () => {
  const [row] = await database.read((db) =>
    db.execute<{ count: number }>(sql`select count(*)::int from work_center.notifications`),
  )
  return row?.count
}
const expire = (id: string) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`
      update work_center.notifications set expires_at = clock_timestamp() where id = ${id}::uuid`)
    await tx.execute(sql`
      update work_center.entries
      set expires_at = clock_timestamp(), changes_at = clock_timestamp()
      where item_id = ${id}::uuid`)
  })

test('a closed task is deleted with its entries after the retention, and the versions of users that saw it grow', async () => {
  const old = await addTask(database)
  const secret = await addTask(database, { source: sourceOf('trade.secret') })
  const recent = await addTask(database)
  const open = await addTask(database)
  for (const id of [old, secret]) await closeAgo(id, config.terminalTaskRetentionMs + 60_000)
  await closeAgo(recent, config.terminalTaskRetentionMs - 60_000)
  const before = await versions(database)
  const announced: VersionChanges[] = []
  await prune(announced)
  expect((await tasksOf(database)).map(({ id }) => id)).toEqual([recent, open].toSorted())
  expect(await entryUsers(database)).toEqual([one, one, two, two].toSorted())
  const after = new Map([...before].map(([user, version]) => [user, version + 1]))
  expect(await versions(database)).toEqual(after)
  expect(announced).toEqual([after])
})

test('all old items are deleted in several batches', async () => {
  for (let n = 0; n < 5; n += 1) {
    await closeAgo(await addTask(database), config.terminalTaskRetentionMs * 2)
    await expire(await addNotification(database, { to: [one] }))
  }
  await tick()
  await prune()
  expect(await tasksOf(database)).toEqual([])
  expect(await notificationCount()).toBe(0)
  expect(await entryUsers(database)).toEqual([])
})

test('an expired notification is deleted only after the clock has announced its expiry', async () => {
  const id = await addNotification(database, { to: [one, two] })
  await addNotification(database, { to: [one] })
  await expire(id)
  await prune()
  expect(await notificationCount()).toBe(2)
  await tick()
  const before = await versions(database)
  const announced: VersionChanges[] = []
  await prune(announced)
  expect(await notificationCount()).toBe(1)
  expect(await entryUsers(database)).toEqual([one])
  expect(await versions(database)).toEqual(before)
  expect(announced).toEqual([])
})

test('items that another transaction has locked are skipped, and deleted in the next cycle', async () => {
  const id = await addTask(database)
  await closeAgo(id, config.terminalTaskRetentionMs * 2)
  const held = await holdTransaction(database, (tx) =>
    tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`),
  )
  await prune([], desk.openPool())
  expect(await tasksOf(database)).toHaveLength(1)
  await held.commit()
  await prune()
  expect(await tasksOf(database)).toEqual([])
})
