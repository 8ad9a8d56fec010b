import type { Tx } from '@vertical-kit/core-audit/database'
import { drizzleOver, type KitDrizzle, kitTx } from '@vertical-kit/core-audit/drizzle'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { asc, count, eq, relations } from 'drizzle-orm'
import {
  bigint,
  customType,
  integer,
  jsonb,
  numeric,
  type PgDatabase,
  type PgQueryResultHKT,
  pgSchema,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { applications } from '../../../../vitest.applications.ts'
import { openDatabase, openPool, runSql } from '../harness.ts'

const trade = pgSchema('trade')
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const orders = trade.table('orders', {
  id: integer().primaryKey(),
  title: text().notNull(),
  placedAt: timestamp({ withTimezone: true }),
  shippedAt: timestamp({ withTimezone: true, precision: 6, mode: 'string' }),
  total: numeric({ precision: 12, scale: 2 }),
  big: bigint({ mode: 'bigint' }),
  details: jsonb().$type<{ tags: string[] }>(),
  tags: text().array(),
  days: timestamp({ withTimezone: true }).array(),
  reference: uuid(),
  seal: bytea(),
})
const lines = trade.table('lines', { id: integer().primaryKey(), orderId: integer(), title: text() })
const ordersRelations = relations(orders, ({ many }) => ({ lines: many(lines) }))
const linesRelations = relations(lines, ({ one }) => ({
  order: one(orders, { fields: [lines.orderId], references: [orders.id] }),
}))
const schema = { orders, lines, ordersRelations, linesRelations }
type Schema = typeof schema

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(
    fresh.url,
    `create schema trade;
    create table trade.orders (
      id int primary key, title text not null, placed_at timestamptz, shipped_at timestamptz, total numeric(12, 2),
      big bigint, details jsonb, tags text[], days timestamptz[], reference uuid, seal bytea
    );
    create table trade.lines (id int primary key, order_id int references trade.orders (id), title text);
    create table public.plain (id int primary key)`,
  )
})
afterAll(() => fresh.drop())

const order = {
  id: 1,
  title: 'Bolts',
  placedAt: new Date('2026-01-31T12:00:00.123Z'),
  shippedAt: '2026-02-01 12:00:00.123456+00',
  total: '12.50',
  big: 9_007_199_254_740_993n,
  details: { tags: ['"', 'ä'] },
  tags: ['a', '"', '\\', ''],
  days: [new Date('2026-01-31T00:00:00Z')],
  reference: '00000000-0000-7000-8000-000000000001',
  seal: Buffer.from([0, 255]),
}

class Undone extends Error {}

/** Functions that open a transaction of the kit or, with `kitTx`, of an application. Each test rolls it back. */
const transactions = {
  'a transaction of the kit': <T>(work: (tx: Tx) => Promise<T>) => openPool(fresh.url).transaction(work),
  'kitTx over postgres.js': <T>(work: (tx: Tx) => Promise<T>) =>
    applications['postgres.js'](fresh.url).transaction((tx) => work(kitTx(tx))),
  'kitTx over node-postgres': <T>(work: (tx: Tx) => Promise<T>) =>
    applications['node-postgres'](fresh.url).transaction((tx) => work(kitTx(tx))),
} as const

describe.each(Object.keys(transactions) as (keyof typeof transactions)[])('in %s', (kind) => {
  const run = transactions[kind]
  const inDrizzle = async (work: (db: KitDrizzle<Schema>, tx: Tx) => Promise<void>): Promise<void> => {
    const outcome = run(async (tx) => {
      await work(drizzleOver(tx, { schema, casing: 'snake_case' }), tx)
      throw new Undone()
    })
    await expect(outcome).rejects.toBeInstanceOf(Undone)
  }

  test('inserts and selects return each column with its Drizzle type', () =>
    inDrizzle(async (db) => {
      expect(await db.insert(orders).values(order).returning()).toEqual([order])
      expect(await db.select().from(orders)).toEqual([order])
      expect(await db.select({ id: orders.id, found: count() }).from(orders).groupBy(orders.id)).toEqual([
        { id: 1, found: 1 },
      ])
      expect(await db.$count(orders)).toBe(1)
    }))

  test('a join of two tables returns both columns with the same name', () =>
    inDrizzle(async (db) => {
      await db.insert(orders).values([order, { id: 2, title: 'Nuts' }])
      await db.insert(lines).values({ id: 7, orderId: 1, title: 'A bolt' })
      const joined = db
        .select()
        .from(orders)
        .leftJoin(lines, eq(lines.orderId, orders.id))
        .orderBy(asc(orders.id))
      const found = await joined
      expect(found.map((row) => [row.orders.title, row.lines])).toEqual([
        ['Bolts', { id: 7, orderId: 1, title: 'A bolt' }],
        ['Nuts', null],
      ])
    }))

  test('relational queries return nested objects', () =>
    inDrizzle(async (db) => {
      await db.insert(orders).values(order)
      await db.insert(lines).values({ id: 7, orderId: 1, title: 'A bolt' })
      const found = await db.query.orders.findFirst({
        columns: { title: true, placedAt: true },
        with: { lines: { columns: { title: true } } },
      })
      expect(found).toEqual({ title: 'Bolts', placedAt: order.placedAt, lines: [{ title: 'A bolt' }] })
    }))

  test('execute returns rows as objects', () =>
    inDrizzle(async (db) => {
      await db.insert(orders).values(order)
      const statement = sql`select id, big, details from ${orders} where placed_at = ${order.placedAt}`
      expect(await db.execute(statement)).toEqual([{ id: 1, big: `${order.big}`, details: order.details }])
    }))

  test('other statements of the transaction see the rows that the builder has written', () =>
    inDrizzle(async (db, tx) => {
      await db.insert(orders).values(order)
      expect(await tx.execute(sql`select id from trade.orders`)).toEqual([{ id: 1 }])
      expect(await kitTx(db).execute(sql`select id from trade.orders`)).toEqual([{ id: 1 }])
    }))

  test('a nested Drizzle transaction is a savepoint', () =>
    inDrizzle(async (db) => {
      await db.transaction((part) => part.insert(orders).values(order))
      const undone = db.transaction(async (part) => {
        await part.insert(orders).values({ id: 2, title: 'Nuts' })
        expect(await kitTx(part).execute(sql`select count(*)::int as count from trade.orders`)).toEqual([
          { count: 2 },
        ])
        await part.transaction((deep) => deep.insert(orders).values({ id: 3, title: 'Nails' }))
        part.rollback()
      })
      await expect(undone).rejects.toThrow('Rollback')
      expect(await db.select({ id: orders.id }).from(orders)).toEqual([{ id: 1 }])
    }))

  test('tables in the public schema are found after the search path has been set', () =>
    inDrizzle(async (db) => {
      await db.execute(sql`set local search_path = public`)
      await db.execute(sql`insert into plain values (1)`)
      expect(await db.execute(sql`select id from plain`)).toEqual([{ id: 1 }])
    }))
})

test('rows that the builder has written are committed with the transaction', async () => {
  const database = openPool(fresh.url)
  await database.transaction((tx) => drizzleOver(tx, { casing: 'snake_case' }).insert(orders).values(order))
  expect(await database.read((db) => db.execute(sql`select id from trade.orders`))).toEqual([{ id: 1 }])
  await database.statement((tx) => drizzleOver(tx).delete(orders))
})

test('the builder rejects a second statement in database.statement', async () => {
  const two = openPool(fresh.url).statement(async (tx) => {
    const db = drizzleOver(tx)
    await db.execute(sql`select 1`)
    await db.execute(sql`select 1`)
  })
  await expect(two).rejects.toMatchObject({ cause: { name: 'TypeError' } })
})

test('KitDrizzle is assignable to the type of a Drizzle database', () => {
  expectTypeOf<KitDrizzle<Schema>>().toExtend<PgDatabase<PgQueryResultHKT, Schema>>()
  expectTypeOf(drizzleOver).parameter(0).toEqualTypeOf<Tx>()
})
