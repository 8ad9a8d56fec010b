import { readFile } from 'node:fs/promises'
import {
  createDatabase,
  type Database,
  type Db,
  databaseDefaults,
  type Tx,
} from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase, openPool, runSql } from '../harness.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(
    fresh.url,
    'create table public.words (position int generated always as identity, word text not null)',
  )
  database = createDatabase({ ...databaseDefaults, poolMax: 2, url: fresh.url })
})
beforeEach(() => runSql(fresh.url, 'truncate public.words'))
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const insert = (tx: Tx, word: string) => tx.execute(sql`insert into public.words (word) values (${word})`)

const words = async (): Promise<readonly string[]> => {
  const rows = await database.read((db) =>
    db.execute<{ word: string }>(sql`select word from public.words order by position`),
  )
  return rows.map((row) => row.word)
}

test('a transaction commits and returns the result when its work resolves', async () => {
  const result = await database.transaction(async (tx) => {
    await insert(tx, 'a')
    await insert(tx, 'b')
    return 'done'
  })
  expect(result).toBe('done')
  expect(await words()).toEqual(['a', 'b'])
})

test('a transaction rolls back and rejects with the error when its work throws', async () => {
  const reason = new Error('changed my mind')
  const attempt = database.transaction(async (tx) => {
    await insert(tx, 'a')
    throw reason
  })
  await expect(attempt).rejects.toBe(reason)
  expect(await words()).toEqual([])
})

test('a transaction rolls back after a failed statement, even if its work catches the error', async () => {
  const attempt = database.transaction(async (tx) => {
    await insert(tx, 'a')
    await tx.execute(sql`select 1 / 0`).catch(() => undefined)
  })
  await expect(attempt).rejects.toMatchObject({ code: '22012' })
  expect(await words()).toEqual([])
})

test('other connections see the writes of a transaction only after its commit', async () => {
  await database.transaction(async (tx) => {
    await insert(tx, 'a')
    expect(await words()).toEqual([])
  })
  expect(await words()).toEqual(['a'])
})

test('concurrent statements of a transaction run in the order of their calls', async () => {
  const alphabet = [...'abcdefghijklmnopqrstuvwxyz']
  await database.transaction(async (tx) => {
    await Promise.all(alphabet.map((letter) => insert(tx, letter)))
  })
  expect(await words()).toEqual(alphabet)
})

test('a transaction rolls back when one of its concurrent statements fails', async () => {
  const attempt = database.transaction(async (tx) => {
    await Promise.all([insert(tx, 'a'), tx.execute(sql`select 1 / 0`), insert(tx, 'b')])
  })
  await expect(attempt).rejects.toThrow()
  expect(await words()).toEqual([])
})

test('a savepoint can be rolled back without the rest of its transaction', async () => {
  await database.transaction(async (tx) => {
    await insert(tx, 'a')
    await tx
      .savepoint(async (part) => {
        await part.execute(sql`insert into public.words (word) values ('b')`)
        throw new Error('not this')
      })
      .catch(() => undefined)
    await insert(tx, 'c')
  })
  expect(await words()).toEqual(['a', 'c'])
})

test('work that fails with a system error of its own keeps its transaction and its connection', async () => {
  const pool = openPool(fresh.url, { poolMax: 1 })
  const pid = async (db: Db) =>
    (await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
  const readMissing = () => readFile('/missing')
  const first = await pool.transaction(async (tx) => {
    await expect(tx.savepoint(readMissing)).rejects.toMatchObject({ code: 'ENOENT' })
    return pid(tx)
  })
  await expect(pool.transaction(readMissing)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await pool.read(pid)).toBe(first)
})

test('a statement after the end of its transaction is rejected and writes nothing', async () => {
  let kept: Tx | undefined
  await database.transaction(async (tx) => {
    kept = tx
    await insert(tx, 'a')
  })
  await expect(kept && insert(kept, 'late')).rejects.toThrow(TypeError)
  expect(await words()).toEqual(['a'])
})

test('database.statement commits its statement', async () => {
  const rows = await database.statement((tx) =>
    tx.execute<{ word: string }>(sql`insert into public.words (word) values ('a') returning word`),
  )
  expect([...rows]).toEqual([{ word: 'a' }])
  expect(await words()).toEqual(['a'])
})

test('database.statement rejects a second statement without running it', async () => {
  const attempt = database.statement(async (tx) => {
    await insert(tx, 'first')
    await insert(tx, 'second')
  })
  await expect(attempt).rejects.toThrow(TypeError)
  expect(await words()).toEqual(['first'])
})

test('database.statement rejects with the error of its statement', async () => {
  await expect(database.statement((tx) => tx.execute(sql`select 1 / 0`))).rejects.toMatchObject({
    code: '22012',
  })
})

test.each(['read', 'transaction', 'statement'] as const)(
  'database.%s rejects a text that contains two statements',
  async (method) => {
    const attempt = database[method]((db: Pick<Tx, 'execute'>) =>
      db.execute(sql.raw(`select 1; insert into public.words (word) values ('smuggled')`)),
    )
    await expect(attempt).rejects.toMatchObject({ code: '42601' })
    expect(await words()).toEqual([])
  },
)

test('the same query works in database.read, database.transaction and database.statement', async () => {
  await database.statement((tx) => insert(tx, 'a'))
  const ask = (db: Db) => db.execute(sql`select count(*)::int as count from public.words`)
  expect(await database.read(ask)).toEqual([{ count: 1 }])
  expect(await database.transaction(ask)).toEqual([{ count: 1 }])
  expect(await database.statement(ask)).toEqual([{ count: 1 }])
})

test('a closed pool rejects later work with service.unavailable', async () => {
  const closing = openPool(fresh.url)
  await closing.read((db) => db.execute(sql`select 1`))
  await closing.close()
  await expect(closing.read((db) => db.execute(sql`select 1`))).rejects.toMatchObject({
    code: 'service.unavailable',
  })
})
