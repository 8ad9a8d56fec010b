import { randomBytes } from 'node:crypto'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

type Setting = { value: string }

const setting = async (name: string): Promise<string | undefined> => {
  const database = openPool(fresh.url, { statementTimeoutMs: 1_234, lockTimeoutMs: 567 })
  const [row] = await database.read((db) =>
    db.execute<Setting>(sql`select current_setting(${name}) as value`),
  )
  return row?.value
}

test.each([
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO, MDY'],
  ['search_path', 'pg_catalog, pg_temp'],
  ['statement_timeout', '1234ms'],
  ['lock_timeout', '567ms'],
  ['idle_in_transaction_session_timeout', '15s'],
  ['default_transaction_isolation', 'read committed'],
  ['application_name', 'vertical-kit'],
])('every connection sets %s to %s', async (name, value) => {
  expect(await setting(name)).toBe(value)
})

/** Opens a pool with a new role that has a setting of its own. */
async function openAsRole(ownSetting: string): Promise<Database> {
  const role = `strict_${randomBytes(6).toString('hex')}`
  await runSql(fresh.url, `create role ${role} login password 'strict'; alter role ${role} set ${ownSetting}`)
  onTestFinished(() => runSql(fresh.url, `drop role ${role}`))
  const url = new URL(fresh.url)
  url.username = role
  url.password = 'strict'
  return openPool(url.href)
}

const isolationIn = async (db: Db) => {
  const [row] = await db.execute<Setting>(sql`select current_setting('transaction_isolation') as value`)
  return row?.value
}

test('reads, statements and transactions are READ COMMITTED, whatever the default of the role is', async () => {
  const database = await openAsRole(`default_transaction_isolation = 'repeatable read'`)
  expect(await database.read(isolationIn)).toBe('read committed')
  expect(await database.statement(isolationIn)).toBe('read committed')
  expect(await database.transaction(isolationIn)).toBe('read committed')
})

test('a transaction is READ COMMITTED even if the default of its session has changed', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  await database.read((db) => db.execute(sql`set default_transaction_isolation = 'serializable'`))
  expect(await database.transaction(isolationIn)).toBe('read committed')
})

test('a statement fails if it names a table without its schema', async () => {
  const database = openPool(fresh.url)
  await expect(database.read((db) => db.execute(sql`select from users`))).rejects.toMatchObject({
    code: '42P01',
  })
})

test('a function in the public schema does not replace a built-in function', async () => {
  const database = openPool(fresh.url)
  await database.statement((tx) =>
    tx.execute(sql`create function public.length(text) returns int language sql as 'select -1'`),
  )
  const [row] = await database.read((db) =>
    db.execute<{ length: number }>(sql`select length('four'::text) as length`),
  )
  expect(row?.length).toBe(4)
})

test('a connection prepares each statement only once, with or without parameters', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const withParameter = (value: number) => database.read((db) => db.execute(sql`select ${value}::int as it`))
  for (const value of [1, 2, 3]) await withParameter(value)
  await database.transaction((tx) => tx.execute(sql`select ${4}::int as it`))
  for (const _ of [1, 2]) await database.statement((tx) => tx.execute(sql`select 'none' as it`))
  const prepared = await database.read((db) =>
    db.execute<{ statement: string; runs: number }>(sql`
      select statement, (generic_plans + custom_plans)::int as runs
      from pg_prepared_statements
      where statement like 'select % as it'
      order by statement`),
  )
  expect([...prepared]).toEqual([
    { statement: 'select $1::int as it', runs: 4 },
    { statement: "select 'none' as it", runs: 2 },
  ])
})

test('a backslash in a text is a character, whatever the setting of the role is', async () => {
  const database = await openAsRole('standard_conforming_strings = off')
  const [row] = await database.read((db) =>
    db.execute<{ is: boolean }>(sql.raw(String.raw`select 'a.b' ~ '^a\.b$' and 'a-b' !~ '^a\.b$' as is`)),
  )
  expect(row?.is).toBe(true)
})

test.each([`TimeZone = 'America/New_York'`, `DateStyle = 'German, DMY'`])(
  'the database returns instants in UTC, in the text format of ISO, with %s for the role',
  async (own) => {
    const database = await openAsRole(own)
    const [row] = await database.read((db) =>
      db.execute<{ at: string }>(sql`select '2026-01-31T13:00:00.123456+01'::timestamptz as at`),
    )
    expect(row?.at).toBe('2026-01-31 12:00:00.123456+00')
  },
)
