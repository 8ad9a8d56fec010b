import type { Database } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClock } from '../src/clock.ts'
import type { VersionChanges } from '../src/inbox/version-changes.ts'
import { definitions } from './definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, openDesk } from './desk.ts'
import { addNotification, addTask, closeTask, entriesOf, farAhead, sourceOf, versions } from './items.ts'
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

const clockOn = (pool: Database, announced: VersionChanges[] = [], batchSize?: number) =>
  createClock({
    ...{
      database: pool,
      definitions,
      config,
      administratorRoleCodes,
      announce: (changes) => announced.push(changes),
    },
    ...(batchSize === undefined ? {} : { batchSize }),
  })
const tick = (announced: VersionChanges[] = [], batchSize?: number) =>
  clockOn(database, announced, batchSize).runOnce(new AbortController().signal)

/** Sets a time column and `changes_at` of all entries of an item to `seconds` from now. */
const move = (
  id: string,
  column: 'snoozed_until' | 'due_at' | 'expires_at',
  seconds: number,
  userId?: string,
) =>
  database.statement((tx) =>
    tx.execute(sql`
      update work_center.entries
      set ${sql.raw(column)} = clock_timestamp() + make_interval(secs => ${seconds}),
        changes_at = least(changes_at, clock_timestamp() + make_interval(secs => ${seconds}))
      where item_id = ${id}::uuid ${userId === undefined ? sql`` : sql`and user_id = ${userId}::uuid`}`),
  )
const both = (version: number) =>
  new Map([
    [one, version],
    [two, version],
  ])

test('the clock runs every second', () => {
  expect(clockOn(database)).toMatchObject({ name: 'work-center.clock', intervalMs: 1_000 })
})

test('the clock is due at the next change of any entry, and never without one', async () => {
  const { dueAt } = clockOn(database)
  const secondsUntilDue = async () => {
    const [row] = await database.read((db) =>
      db.execute<{ seconds: number | null }>(
        sql`select extract(epoch from ${dueAt ?? sql`null::timestamptz`} - statement_timestamp())::float8 as seconds`,
      ),
    )
    return row?.seconds ?? null
  }
  const [first, second] = [
    await addTask(database, { dueAtUtc: farAhead }),
    await addTask(database, { dueAtUtc: farAhead }),
  ]
  await move(first, 'due_at', 7_200)
  await move(second, 'due_at', 3_600)
  const seconds = await secondsUntilDue()
  expect(seconds).toBeGreaterThan(1_800)
  expect(seconds).toBeLessThan(3_601)
  await closeTask(database, first)
  await closeTask(database, second)
  expect(await secondsUntilDue()).toBe(null)
})

test('the clock changes nothing before a due time', async () => {
  const id = await addTask(database, { dueAtUtc: farAhead })
  await move(id, 'due_at', 60)
  await tick()
  expect(await versions(database)).toEqual(both(1))
  expect((await entriesOf(database, id)).every((entry) => entry.changes_at !== null)).toBe(true)
})

describe('once the due time has passed', () => {
  test('a task becomes overdue and raises the version of each user that sees it once', async () => {
    const id = await addTask(database, { dueAtUtc: farAhead })
    await move(id, 'due_at', -1)
    const announced: VersionChanges[] = []
    await tick(announced)
    await tick(announced)
    expect(announced).toEqual([both(2)])
    expect(await versions(database)).toEqual(both(2))
    expect((await entriesOf(database, id)).map((entry) => entry.changes_at)).toEqual([null, null])
  })

  test('a notification expires', async () => {
    const id = await addNotification(database, { to: [one, two] })
    await move(id, 'expires_at', -1)
    await tick()
    expect(await versions(database)).toEqual(both(2))
  })

  test('a snooze ends for its user, and the due date becomes the next change of the entry', async () => {
    const id = await addTask(database, { dueAtUtc: farAhead })
    await move(id, 'snoozed_until', -1, one)
    await tick()
    expect(await versions(database)).toEqual(
      new Map([
        [one, 2],
        [two, 1],
      ]),
    )
    const next = (await entriesOf(database, id)).map((entry) => entry.changes_at)
    expect(next).toEqual([expect.stringContaining('2999-01-01'), expect.stringContaining('2999-01-01')])
  })
})

test('the clock raises no version for entries that a claim hides, or users that cannot view the source', async () => {
  const hidden = await addTask(database, { dueAtUtc: farAhead })
  await database.statement((tx) =>
    tx.execute(sql`
      update work_center.entries set is_visible = false where item_id = ${hidden}::uuid and user_id = ${two}::uuid`),
  )
  const secret = await addTask(database, { dueAtUtc: farAhead, source: sourceOf('trade.secret') })
  for (const id of [hidden, secret]) await move(id, 'due_at', -1)
  await tick()
  expect(await versions(database)).toEqual(
    new Map([
      [one, 2],
      [two, 1],
    ]),
  )
  for (const id of [hidden, secret]) {
    expect((await entriesOf(database, id)).map((entry) => entry.changes_at)).toEqual([null, null])
  }
})

test('closed items have no next change', async () => {
  const id = await addTask(database, { dueAtUtc: farAhead })
  await move(id, 'due_at', -1)
  await closeTask(database, id)
  await tick()
  expect(await versions(database)).toEqual(both(2))
})

test('the clock processes all due entries in batches, and raises each version once per batch', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => addTask(database, { dueAtUtc: farAhead })))
  for (const id of ids) await move(id, 'due_at', -1)
  const announced: VersionChanges[] = []
  await tick(announced, 4)
  expect(announced).toHaveLength(3)
  for (const id of ids) {
    expect((await entriesOf(database, id)).map((entry) => entry.changes_at)).toEqual([null, null])
  }
})

test('the clocks of concurrent replicas change each entry once, without waiting for each other', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => addTask(database, { dueAtUtc: farAhead })))
  for (const id of ids) await move(id, 'due_at', -1)
  const before = await versions(database)
  const announced: VersionChanges[] = []
  const clocks = Array.from({ length: 4 }, () => clockOn(desk.openPool(), announced, 3))
  await Promise.all(clocks.map((clock) => clock.runOnce(new AbortController().signal)))
  await tick(announced, 3)
  const [left] = await database.read((db) =>
    db.execute(sql`select count(*)::int from work_center.entries where changes_at is not null`),
  )
  expect(left).toEqual({ count: 0 })
  // Each announced version is higher by one than the previous one, and no version is announced twice.
  const sent = announced.flatMap((changes) => [...changes].map(([user, version]) => `${user} ${version}`))
  expect(new Set(sent).size).toBe(sent.length)
  const after = await versions(database)
  for (const [user, version] of after) {
    const raised = sent.filter((line) => line.startsWith(user)).length
    expect(version).toBe((before.get(user) ?? 0) + raised)
  }
})

test('the clock skips an entry that another transaction has locked, and processes it in the next run', async () => {
  const id = await addTask(database, { dueAtUtc: farAhead })
  await move(id, 'due_at', -1)
  const held = await holdTransaction(database, (tx) =>
    tx.execute(sql`
      select from work_center.entries where item_id = ${id}::uuid and user_id = ${one}::uuid for update`),
  )
  await clockOn(desk.openPool()).runOnce(new AbortController().signal)
  expect(await versions(database)).toEqual(
    new Map([
      [one, 1],
      [two, 2],
    ]),
  )
  await held.commit()
  await tick()
  expect(await versions(database)).toEqual(both(2))
})
