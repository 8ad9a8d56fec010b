import type { Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openConnection, openDatabase, openPool, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, 'create table public.words (word text primary key)')
})
afterEach(() => runSql(fresh.url, 'truncate public.words'))
afterAll(() => fresh.drop())

const insert = (word: string) => sql`insert into public.words (word) values (${word})`

const storedWords = async (): Promise<readonly string[]> => {
  const rows = await openConnection(fresh.url)<
    { word: string }[]
  >`select word from public.words order by word`
  return rows.map(({ word }) => word)
}

const duplicate = { constraint_name: 'words_pkey' }

test('a sent statement commits with its transaction, and later statements see its rows', async () => {
  const database = openPool(fresh.url)
  const seen = await database.transaction(async (tx) => {
    await tx.send(insert('first'))
    const rows = await tx.execute(sql`select word from public.words`)
    await tx.send(insert('last'))
    return rows
  })
  expect([...seen]).toEqual([{ word: 'first' }])
  expect(await storedWords()).toEqual(['first', 'last'])
})

test('`send` resolves before the answer', async () => {
  const database = openPool(fresh.url)
  const holder = openConnection(fresh.url)
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  let transaction: Promise<void> | undefined
  await holder
    .begin(async (locked) => {
      await locked`insert into public.words (word) values ('held')`
      transaction = database.transaction(async (tx) => {
        // This statement waits for the end of the other transaction.
        await tx.send(insert('held'))
        resolve()
      })
      await sent
      throw new Error('roll back')
    })
    .catch(() => {})
  await transaction
  expect(await storedWords()).toEqual(['held'])
})

test('if the last statement fails when it is sent, nothing commits and the transaction rejects with its error', async () => {
  const database = openPool(fresh.url)
  const followed: string[] = []
  const attempt = database.transaction(async (tx) => {
    tx.afterCommit(() => followed.push('commit'))
    await tx.send(insert('a'))
    await tx.send(insert('a'))
  })
  await expect(attempt).rejects.toMatchObject(duplicate)
  expect(await storedWords()).toEqual([])
  expect(followed).toEqual([])
  await database.transaction((tx) => tx.send(insert('after')))
  expect(await storedWords()).toEqual(['after'])
})

test('the error of a sent statement hides the errors of later statements, even if the work catches them', async () => {
  const database = openPool(fresh.url)
  const attempt = database.transaction(async (tx) => {
    await tx.send(insert('a'))
    await tx.send(insert('a'))
    await tx.execute(sql`select 1`).catch(() => {})
  })
  await expect(attempt).rejects.toMatchObject(duplicate)
  const failing = database.transaction(async (tx) => {
    await tx.send(insert('b'))
    await tx.send(insert('b'))
    await tx.execute(sql`select 1`)
  })
  await expect(failing).rejects.toMatchObject(duplicate)
  expect(await storedWords()).toEqual([])
})

test.each([
  ['sent', async (tx: Tx) => tx.send(insert('later'))],
  ['executed', async (tx: Tx) => tx.execute(insert('later'))],
])(
  'a lock that is not available is reported although a later statement was %s at once',
  async (_how, later) => {
    const database = openPool(fresh.url)
    const held = await holdTransaction(database, (tx) => tx.execute(sql`lock table public.words`))
    const attempt: Promise<unknown> = database.transaction(async (tx) => {
      const lock = tx.execute(sql`lock table public.words nowait`)
      // A command that awaits the answer rejects after the later statement.
      const command = async () => [await lock.finally(() => {}).finally(() => {})]
      await Promise.all([command(), later(tx)])
    })
    const failure = await attempt.catch((error: unknown) => error)
    await held.rollback()
    expect(failure).toMatchObject({ code: 'service.unavailable', cause: { code: '55P03' } })
  },
)

test('a savepoint and `statement` wait for the answer, so their failure can be caught', async () => {
  const database = openPool(fresh.url)
  await database.transaction(async (tx) => {
    await tx.send(insert('kept'))
    const part = tx.savepoint((inner) => inner.send(insert('kept')))
    await expect(part).rejects.toMatchObject(duplicate)
  })
  await expect(database.statement((tx) => tx.send(insert('kept')))).rejects.toMatchObject(duplicate)
  expect(await storedWords()).toEqual(['kept'])
})

test('if the connection ends before the answer, the transaction rejects and nothing commits', async () => {
  const operator = openConnection(fresh.url)
  const database = openPool(fresh.url, { poolMax: 1 })
  const attempt = database.transaction(async (tx) => {
    const [row] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await tx.send(insert('lost'))
    await operator`select pg_terminate_backend(${row?.pid ?? 0}, 30000)`
    await tx.send(insert('lost too'))
  })
  await expect(attempt).rejects.toMatchObject({ code: 'service.unavailable' })
  expect(await storedWords()).toEqual([])
})
