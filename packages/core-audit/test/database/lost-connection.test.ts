import { createDatabase, type Database, databaseDefaults, type Tx } from '@vertical-kit/core-audit/database'
import { type PostgresProxy, startPostgresProxy } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openDatabase, refusalOf, runSql } from '../harness.ts'

// Regression tests: a defect of the driver ended the process when a connection was lost in a transaction. vitest would
// report such a failure as an uncaught error.

let fresh: FreshDatabase
let operator: postgres.Sql
let proxy: PostgresProxy

beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, 'create table public.words (word text not null)')
  operator = postgres(fresh.url, { max: 1, onnotice: () => {} })
  proxy = await startPostgresProxy(fresh.url)
})
beforeEach(async () => {
  // The server detects a lost client only when the server sends data. Sleeping sessions send no data, so end them here.
  await operator`
    select pg_terminate_backend(pid, 30000) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`
  await runSql(fresh.url, 'truncate public.words')
})
afterAll(async () => {
  await proxy.stop()
  await operator.end()
  await fresh.drop()
})

const insert = (tx: Pick<Tx, 'execute'>, word: string) =>
  tx.execute(sql`insert into public.words (word) values (${word})`)

const sleep = (tx: Pick<Tx, 'execute'>) => tx.execute(sql`select pg_sleep(60)`)

const pidOf = async (tx: Pick<Tx, 'execute'>): Promise<number> => {
  const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid ?? 0
}

const isSleeping = async (pid: number): Promise<boolean> =>
  (await operator`select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`).count === 1

const asleep = (pid: number) => vi.waitUntil(() => isSleeping(pid), { interval: 5, timeout: 30_000 })

describe.each<[string, () => string, (pid: number) => Promise<void>]>([
  [
    'ended by an operator',
    () => fresh.url,
    async (pid) => void (await operator`select pg_terminate_backend(${pid}, 30000)`),
  ],
  ['closed by the network', () => proxy.url, async () => proxy.cut('close')],
  ['reset by the network', () => proxy.url, async () => proxy.cut('reset')],
])('when a connection is %s', (_how, url, lose) => {
  let database: Database
  beforeAll(() => {
    database = createDatabase({ ...databaseDefaults, poolMax: 1, poolWaitMs: 20_000, url: url() })
  })
  afterAll(() => database.close())

  /** Expects that the pool works again and that the rows of the lost transaction do not exist. */
  async function expectNothingKept(): Promise<void> {
    const rows = await database.read((db) => db.execute(sql`select word from public.words`))
    expect([...rows]).toEqual([])
    await database.transaction((tx) => insert(tx, 'after'))
    expect(await operator`select word from public.words`).toHaveLength(1)
  }

  test('during a statement, the transaction is rejected and the pool still works', async () => {
    const attempt = refusalOf(
      database.transaction(async (tx) => {
        await insert(tx, 'a')
        const pid = await pidOf(tx)
        await Promise.all([sleep(tx), asleep(pid).then(() => lose(pid))])
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('between statements, the transaction is rejected and the pool still works', async () => {
    const attempt = refusalOf(
      database.transaction(async (tx) => {
        await insert(tx, 'a')
        await lose(await pidOf(tx))
        await insert(tx, 'b')
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('during a statement, queued statements never run outside their transaction', async () => {
    const attempt = refusalOf(
      database.transaction(async (tx) => {
        const pid = await pidOf(tx)
        await Promise.all([
          sleep(tx),
          ...Array.from({ length: 150 }, (_, index) => insert(tx, String(index))),
          asleep(pid).then(() => lose(pid)),
        ])
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('later statements are rejected, even if the transaction ignores the loss', async () => {
    const { promise: continued, resolve: resolveContinued } = Promise.withResolvers<unknown>()
    const attempt = refusalOf(
      database.transaction(async (tx) => {
        const pid = await pidOf(tx)
        await Promise.all([sleep(tx), asleep(pid).then(() => lose(pid))]).catch(() => undefined)
        await insert(tx, 'b').catch(resolveContinued)
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
    expect(await continued).toBeInstanceOf(Error)
  })

  test('in a savepoint, the whole transaction is rejected', async () => {
    const attempt = refusalOf(
      database.transaction(async (tx) => {
        await insert(tx, 'a')
        const pid = await pidOf(tx)
        await tx.savepoint(async (part) => {
          await insert(part, 'b')
          await Promise.all([sleep(part), asleep(pid).then(() => lose(pid))])
        })
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('during a read, the read is rejected and the next read succeeds', async () => {
    const attempt = refusalOf(
      database.read(async (db) => {
        const pid = await pidOf(db)
        await Promise.all([sleep(db), asleep(pid).then(() => lose(pid))])
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('a read that ignores the loss is rejected and receives no new connection', async () => {
    const attempt = refusalOf(
      database.read(async (db) => {
        const pid = await pidOf(db)
        await Promise.all([sleep(db), asleep(pid).then(() => lose(pid))]).catch(() => undefined)
        await pidOf(db)
      }),
    )
    expect(await attempt).toBe('service.unavailable')
    await expectNothingKept()
  })

  test('while the connection is idle, the pool replaces it', async () => {
    const pid = await database.read(pidOf)
    await lose(pid)
    // The pool can detect the loss with a delay. Until the detection, reads are rejected.
    const next = () => database.read(pidOf).catch(() => pid)
    await expect.poll(next, { interval: 5, timeout: 30_000 }).not.toBe(pid)
    await expectNothingKept()
  })
})
