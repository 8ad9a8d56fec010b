import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { RowOf, userNames } from '@vertical-kit/core-audit/schema'
import {
  bigint,
  boolean,
  date,
  integer,
  jsonb,
  numeric,
  pgSchema,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'

const parts = pgSchema('yard').table('parts', {
  id: uuid().primaryKey(),
  binCode: text('bin_code').notNull(),
  grade: text({ enum: ['new', 'used'] }).notNull(),
  lastGrade: text('last_grade', { enum: ['new', 'used'] }),
  count: integer().notNull(),
  isSold: boolean('is_sold'),
  weight: numeric().notNull(),
  length: numeric({ mode: 'number' }).notNull(),
  position: bigint({ mode: 'bigint' }).notNull(),
  size: bigint({ mode: 'number' }),
  madeAt: timestamp('made_at', { withTimezone: true }).notNull(),
  soldAt: timestamp('sold_at', { withTimezone: true, mode: 'string' }),
  soldOn: date('sold_on'),
  labels: text().array().notNull(),
  origin: jsonb().$type<{ readonly country: string }>().notNull(),
  remarks: jsonb(),
})

type Part = RowOf<typeof parts>

test('RowOf has the column names and the nullability of the database, and the value types of the driver', () => {
  expectTypeOf<Part>().toEqualTypeOf<{
    id: string
    bin_code: string
    grade: 'new' | 'used'
    last_grade: 'new' | 'used' | null
    count: number
    is_sold: boolean | null
    weight: string
    length: string
    position: string
    size: string | null
    made_at: string
    sold_at: string | null
    sold_on: string | null
    labels: string[]
    origin: { readonly country: string }
    remarks: unknown
  }>()
})

test('RowOf contains only the columns of the selected properties', () => {
  expectTypeOf<RowOf<typeof parts, 'id' | 'binCode'>>().toEqualTypeOf<{ id: string; bin_code: string }>()
  // @ts-expect-error: a column is selected by its property name, not by its name in the database
  expectTypeOf<RowOf<typeof parts, 'bin_code'>>().not.toBeAny()
})

test('RowOf accepts a view', () => {
  expectTypeOf<RowOf<typeof userNames>>().toEqualTypeOf<{ id: string; display_name: string }>()
})

test('database.read returns rows that match RowOf', async () => {
  const fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  await runSql(
    fresh.url,
    `create schema yard;
     create table yard.parts (
       id uuid primary key, bin_code text not null, grade text not null, last_grade text, count int not null,
       is_sold boolean, weight numeric not null, length numeric not null, position bigint not null, size bigint,
       made_at timestamptz not null, sold_at timestamptz, sold_on date, labels text[] not null,
       origin jsonb not null, remarks jsonb
     );
     insert into yard.parts values (
       '018f0000-0000-7000-8000-000000000001', 'A-1', 'used', null, 3, false, 1.50, 2, 9007199254740993, 5368709120,
       '2026-01-31 12:00:00.123456Z', null, '2026-02-01', '{red,"left, top"}', '{"country": "NO"}', null
     )`,
  )
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  onTestFinished(() => database.close())
  const [row] = await database.read((db) => db.execute<Part>(sql`select * from yard.parts`))
  expect(row).toEqual({
    id: '018f0000-0000-7000-8000-000000000001',
    bin_code: 'A-1',
    grade: 'used',
    last_grade: null,
    count: 3,
    is_sold: false,
    weight: '1.50',
    length: '2',
    position: '9007199254740993',
    size: '5368709120',
    made_at: '2026-01-31 12:00:00.123456+00',
    sold_at: null,
    sold_on: '2026-02-01',
    labels: ['red', 'left, top'],
    origin: { country: 'NO' },
    remarks: null,
  } satisfies Part)
})
