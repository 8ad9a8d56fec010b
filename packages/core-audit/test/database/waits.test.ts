import type { Tx } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openConnection, openDatabase, openPool, refusalOf, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(
    fresh.url,
    `create table public.counters (id int primary key, value int not null default 0);
     insert into public.counters (id) values (1), (2);
     alter database ${fresh.name} set deadlock_timeout = '20ms';`,
  )
})
afterAll(() => fresh.drop())

const increment = (tx: Pick<Tx, 'execute'>, id: number) =>
  tx.execute(sql`update public.counters set value = value + 1 where id = ${id}`)

test('work is rejected with service.unavailable if no connection becomes free in time', async () => {
  const database = openPool(fresh.url, { poolMax: 2, poolWaitMs: 20 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holding = [1, 2].map(() => database.transaction(() => released))
  expect(await refusalOf(database.read((db) => db.execute(sql`select 1`)))).toBe('service.unavailable')
  expect(database.load).toMatchObject({ runningCount: 2, waitingCount: 0 })
  release()
  await Promise.all(holding)
  const rows = await database.read((db) => db.execute(sql`select 1 as one`))
  expect([...rows]).toEqual([{ one: 1 }])
})

test('a ping is answered while every connection is in use, and leaves no connection behind', async () => {
  const database = openPool(fresh.url, { poolMax: 2, poolWaitMs: 20 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holding = [1, 2].map(() => database.transaction(() => released))
  await Promise.all([database.ping(), database.ping()])
  await database.ping()
  expect(database.load).toMatchObject({ runningCount: 2, idleCount: 0, waitingCount: 0 })
  release()
  await Promise.all(holding)
  expect(database.load).toMatchObject({ runningCount: 0, idleCount: 2 })
})

test('nested work on an exhausted pool is rejected and causes no deadlock', async () => {
  const database = openPool(fresh.url, { poolMax: 1, poolWaitMs: 20 })
  const nested = database.transaction(() => database.read((db) => db.execute(sql`select 1`)))
  expect(await refusalOf(nested)).toBe('service.unavailable')
  expect(database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
})

test('the pool never exceeds its maximum number of connections', async () => {
  const database = openPool(fresh.url, { poolMax: 3, applicationName: 'counted' })
  const pids = await Promise.all(
    Array.from({ length: 30 }, () =>
      database.read((db) => db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)),
    ),
  )
  expect(new Set(pids.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(3)
})

test('a statement that waits too long for a lock rejects with service.unavailable', async () => {
  const holder = openConnection(fresh.url)
  const database = openPool(fresh.url, { lockTimeoutMs: 20 })
  await holder.begin(async (locked) => {
    await locked`select from public.counters where id = 1 for update`
    expect(await refusalOf(database.transaction((tx) => increment(tx, 1)))).toBe('service.unavailable')
  })
  await database.transaction((tx) => increment(tx, 1))
})

test('a statement that runs too long rejects with service.unavailable', async () => {
  const database = openPool(fresh.url, { statementTimeoutMs: 20 })
  expect(await refusalOf(database.read((db) => db.execute(sql`select pg_sleep(60)`)))).toBe(
    'service.unavailable',
  )
})

test('if two transactions deadlock, one transaction is rejected and the other transaction commits', async () => {
  const database = openPool(fresh.url)
  const locked = [1, 2].map(() => Promise.withResolvers<void>())
  const both = Promise.all(locked.map(({ promise }) => promise))
  const crossing = (first: number, second: number) =>
    database.transaction(async (tx) => {
      await increment(tx, first)
      locked[first - 1]?.resolve()
      await both
      await increment(tx, second)
    })
  const outcomes = await Promise.allSettled([crossing(1, 2), crossing(2, 1)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find(({ status }) => status === 'rejected')
  expect(refused).toMatchObject({ reason: { code: 'service.unavailable' } })
})

test('the server ends a transaction that is idle for too long, and the transaction is rejected', async () => {
  const watcher = openConnection(fresh.url)
  const database = openPool(fresh.url, { poolMax: 1, idleInTransactionTimeoutMs: 20 })
  const attempt = database.transaction(async (tx) => {
    const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await vi.waitUntil(
      async () => (await watcher`select from pg_stat_activity where pid = ${row?.pid ?? 0}`).count === 0,
      { interval: 5, timeout: 30_000 },
    )
    await increment(tx, 1)
  })
  await expect(attempt).rejects.toMatchObject({ code: 'service.unavailable' })
  // If no statement was sent before the process noticed the end, only the time limit can be the reason.
  const idle = database.transaction(() => new Promise(() => {}))
  await expect(idle).rejects.toMatchObject({
    code: 'service.unavailable',
    cause: { message: expect.stringContaining('idle_in_transaction_session_timeout') },
  })
  const rows = await database.read((db) => db.execute(sql`select 1 as one`))
  expect([...rows]).toEqual([{ one: 1 }])
})
