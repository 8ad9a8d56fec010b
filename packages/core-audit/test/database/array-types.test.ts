import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrayTypes } from '../../src/database/array-types.ts'
import { openPostgresClient, type PostgresClient } from '../../src/database/client.ts'
import { openDatabase, openPool } from '../harness.ts'

let fresh: FreshDatabase
/** A client with the driver's default settings, which queries the server for its array types. */
let reference: postgres.Sql
let client: PostgresClient
beforeAll(async () => {
  fresh = await openDatabase()
  reference = postgres(fresh.url, { max: 1 })
  client = openPostgresClient(fresh.url)
})
afterAll(async () => {
  await reference.end()
  await client.end(1)
  await fresh.drop()
})

test('the OIDs in arrayTypes equal the OIDs on the server', async () => {
  const rows = await reference<{ element: number; array: number }[]>`
    select oid::int as element, typarray::int as array from pg_type
    where oid = any (${[...arrayTypes.keys()]}) and typdelim = ',' order by oid`
  const known = [...arrayTypes].toSorted(([left], [right]) => left - right)
  expect(rows.map(({ element, array }) => [element, array])).toEqual(known)
})

test.each([
  ['uuid[]', ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002']],
  ['text[]', ['a', '', 'b,c', '{d}', '"e"', 'f\\g', 'NULL', ' h ', 'line\nbreak']],
  ['text[]', []],
  ['varchar[]', ['a']],
  ['int[]', [1, -2]],
  ['smallint[]', [1]],
  [
    'int[]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['bigint[]', ['9223372036854775807']],
  ['numeric[]', ['1.50']],
  ['float8[]', [1.5]],
  ['boolean[]', ['t', 'f']],
  ['jsonb[]', [{ a: ['"', '\\', '{'] }, 1, 'text']],
  ['timestamptz[]', ['2026-01-31T12:00:00.123Z']],
  ['date[]', ['2026-01-31']],
  ['bytea[]', ['a']],
])('parameters and results of type %s match the driver’s own conversion', async (type, values) => {
  const text = `select $1::${type} as list, ($1::${type})::text as sent`
  const expected = await reference.unsafe(text, [values as never], { prepare: true })
  const found = await client.sql.unsafe(text, [values as never], { prepare: true })
  expect([...found]).toEqual([...expected])
})

test('arrays of texts and of numbers are returned unchanged, including nulls', async () => {
  const texts = fc.array(fc.option(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))))
  const numbers = fc.array(fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })))
  const database = openPool(fresh.url)
  await fc.assert(
    fc.asyncProperty(texts, numbers, async (a, b) => {
      const [row] = await database.read((db) =>
        db.execute(sql`select ${sql.param(a)}::text[] as a, ${sql.param(b)}::int[] as b`),
      )
      expect(row).toEqual({ a, b })
    }),
  )
})

test('the pool returns instants in arrays as text', async () => {
  const [row] = await openPool(fresh.url).read((db) =>
    db.execute(sql`select array['2026-01-31T13:00:00.123456+01'::timestamptz] as at`),
  )
  expect(row).toEqual({ at: ['2026-01-31 12:00:00.123456+00'] })
})

test('an array with a lower bound other than 1 is parsed', async () => {
  expect([...(await client.sql.unsafe(`select '[0:1]={1,2}'::int[] as list`))]).toEqual([{ list: [1, 2] }])
})

test('an array of an application’s own type is returned as text', async () => {
  const [row] = await client.sql
    .unsafe(`
    create type pg_temp.colour as enum ('red');
    select array['red'::pg_temp.colour] as list`)
    .then((results) => results.at(-1) as never[])
  expect(row).toEqual({ list: '{red}' })
})

test('an array parameter with an undefined element is rejected, and the connection still works', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const bad = database.read((db) => db.execute(sql`select ${sql.param(['a', undefined])}::text[] as list`))
  await expect(bad).rejects.toThrow(TypeError)
  const [row] = await database.read((db) => db.execute(sql`select 1 as one`))
  expect(row).toEqual({ one: 1 })
})
