import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openConnection, openDatabase, openPool, refusalOf } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

// The pool compares times of this clock, which stands still until a test advances it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const pidOf = async (db: Db): Promise<number> => {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid ?? 0
}

/** Starts reads that each send a statement and then keep their connection until `end` is called. */
async function holdReads(database: Database, count: number) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const started = Array.from({ length: count }, () => Promise.withResolvers<number>())
  const reads = started.map(({ resolve }) =>
    database.read(async (db) => {
      resolve(await pidOf(db))
      await ended
      return pidOf(db)
    }),
  )
  const pids = await Promise.all(started.map(({ promise }) => promise))
  return { pids, reads, end }
}

test('reads use connections of their own until all are in use, and then share them', async () => {
  const database = openPool(fresh.url, { poolMax: 2 })
  const { pids, reads, end } = await holdReads(database, 8)
  expect(new Set(pids).size).toBe(2)
  expect(new Set(pids.slice(0, 2)).size).toBe(2)
  expect(database.load).toMatchObject({ runningCount: 2, waitingCount: 0, idleCount: 0 })
  end()
  expect(await Promise.all(reads)).toEqual(pids)
  expect(database.load).toMatchObject({ runningCount: 0, waitingCount: 0, idleCount: 2 })
})

test('at most four reads share a connection, and the next one waits', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const { reads, end } = await holdReads(database, 4)
  const fifth = database.read(pidOf)
  expect(database.load.waitingCount).toBe(1)
  end()
  expect(await fifth).toBe((await Promise.all(reads))[0])
})

test('a transaction never shares its connection, and reads do not overtake a waiting transaction', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const { reads, end } = await holdReads(database, 2)
  const order: string[] = []
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>()
  const transaction = database.transaction(async (tx) => {
    order.push('transaction')
    await tx.execute(sql`create table public.uncommitted (id int)`)
    await committed
  })
  const later = database.read(async (db) => {
    order.push('read')
    const [row] = await db.execute(sql`select to_regclass('public.uncommitted')::text as name`)
    return row?.['name']
  })
  expect(database.load.waitingCount).toBe(2)
  end()
  await Promise.all(reads)
  await vi.waitUntil(() => order.length > 0)
  expect(database.load).toMatchObject({ runningCount: 1, waitingCount: 1 })
  commit()
  await transaction
  // The read began after the commit. In the transaction, it could have begun before.
  expect(await later).toBe('public.uncommitted')
  expect(order).toEqual(['transaction', 'read'])
})

test('no read joins a connection whose work has taken longer than 5 ms', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const { reads, end } = await holdReads(database, 1)
  vi.advanceTimersByTime(5)
  const next = database.read(pidOf)
  expect(database.load.waitingCount).toBe(1)
  end()
  expect(await next).toBe((await Promise.all(reads))[0])
})

test('an append shares a connection with reads, and commits before the reads end', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  await database.transaction((tx) => tx.execute(sql`create table public.lines (id int primary key)`))
  const { pids, reads, end } = await holdReads(database, 2)
  const [row] = await database.append((tx) =>
    tx.execute(sql`insert into public.lines values (1) returning pg_backend_pid() as pid`),
  )
  expect(row).toEqual({ pid: pids[0] })
  expect(await openConnection(fresh.url)`select id from public.lines`).toEqual([{ id: 1 }])
  end()
  await Promise.all(reads)
})

test('if an append fails, only its rows are missing, and reads on its connection succeed', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  await database.transaction((tx) => tx.execute(sql`create table public.entries (id int primary key)`))
  const append = (first: number, second: number) =>
    database.append((tx) =>
      tx.execute(sql`insert into public.entries values (${first}::int), (${second}::int)`),
    )
  const outcomes = await Promise.allSettled([append(1, 2), append(3, 2), database.read(pidOf), append(4, 5)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await database.read((db) => db.execute(sql`select id from public.entries order by id`))).toEqual(
    [1, 2, 4, 5].map((id) => ({ id })),
  )
})

test('an append runs only one statement', async () => {
  const database = openPool(fresh.url)
  const twice = database.append(async (tx) => {
    await tx.execute(sql`select 1`)
    await tx.execute(sql`select 1`)
  })
  await expect(twice).rejects.toThrow(TypeError)
})

test('if one of several reads fails, the others on its connection succeed', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const outcomes = await Promise.allSettled([
    database.read(pidOf),
    database.read((db) => db.execute(sql`select 1 / 0`)),
    database.read(pidOf),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('if a shared connection ends, its reads are rejected, and waiting reads use a new connection', async () => {
  const operator = openConnection(fresh.url)
  const database = openPool(fresh.url, { poolMax: 1 })
  const { pids, reads, end } = await holdReads(database, 4)
  const refused = Promise.all(reads.map(refusalOf))
  const waiting = database.read(pidOf)
  await operator`select pg_terminate_backend(${pids[0] ?? 0}, 30000)`
  end()
  expect(await refused).toEqual(Array.from({ length: 4 }, () => 'service.unavailable'))
  expect(await waiting).not.toBe(pids[0])
  expect(database.load).toMatchObject({ runningCount: 0, waitingCount: 0 })
})
