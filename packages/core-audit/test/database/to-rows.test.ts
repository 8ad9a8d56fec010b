import type { FreshDatabase } from '@vertical-kit/dev-services'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const read = (statement: SQL) => openPool(fresh.url).read((db) => db.execute(statement))

test('a row has the columns in the order of the statement, however many there are', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `column_${59 - index}`)
  const values = sql.raw(names.map((name, index) => `${index} as ${name}`).join())
  const rows = await read(sql`select ${values} from generate_series(1, 3)`)
  const expected = Object.fromEntries(names.map((name, index) => [name, index]))
  expect(rows).toEqual([expected, expected, expected])
  expect(Object.keys(rows[0] ?? {})).toEqual(names)
})

test('rows of one statement are independent objects', async () => {
  const [first, second] = await read(sql`select n, null as nothing from generate_series(1, 2) n`)
  expect([first, second]).toEqual([
    { n: 1, nothing: null },
    { n: 2, nothing: null },
  ])
})

test('of columns with the same name, the last one counts', async () => {
  expect(await read(sql`select 1 as n, 2 as n`)).toEqual([{ n: 2 }])
})

test('names of properties of objects are ordinary columns', async () => {
  const [row = {}] = await read(sql`select 1 as "__proto__", 2 as "constructor", 3 as "a""b", 4 as "0"`)
  expect(Object.entries(row)).toEqual(
    expect.arrayContaining([
      ['__proto__', 1],
      ['constructor', 2],
      ['a"b', 3],
      ['0', 4],
    ]),
  )
})

test('a statement without rows, and one without columns, return no values', async () => {
  expect(await read(sql`select 1 as n where false`)).toEqual([])
  expect(await read(sql`select from generate_series(1, 2)`)).toEqual([{}, {}])
  expect(await read(sql`create temporary table nothing (n int)`)).toEqual([])
})
