import { newId, recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { type ApplicationTransaction, kitTx } from '@vertical-kit/core-audit/drizzle'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import type { ExtractTablesWithRelations } from 'drizzle-orm'
import type { NodePgTransaction } from 'drizzle-orm/node-postgres'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { PostgresJsTransaction } from 'drizzle-orm/postgres-js'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import {
  type Application,
  type ApplicationTx,
  applications,
  driverNames,
} from '../../../../vitest.applications.ts'
import { openDatabase, openPool, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, 'create schema trade; create table trade.orders (id int primary key, title text)')
})
afterAll(() => fresh.drop())

const everyType = sql`
  select
    true as yes, false as no, 7::smallint as small, 7 as int, 9007199254740993 as big, 1.50 as exact, 2.5::real as real,
    'ä"\\,{}' as text, null::text as nothing, '{"at":[1,null]}'::jsonb as json, 'null'::json as json_null,
    timestamptz '2026-01-31 12:00:00.123456+00' as instant, timestamptz 'infinity' as never,
    timestamp '2026-01-31 12:00:00' as local, date '2026-01-31' as day, interval '1 day' as span,
    '\\x00ff'::bytea as bytes, '00000000-0000-7000-8000-000000000001'::uuid as id,
    array['a', '"', '\\'] as texts, array[[1, 2], [3, 4]] as ints, '{}'::uuid[] as none,
    array[9007199254740993] as bigs, array['{"a": 1}'::jsonb] as jsons,
    array[timestamptz '2026-01-31 12:00:00.123456+00'] as instants, array[true, false] as flags`

const parameters = sql`
  select
    ${sql.param(['ä', '"', '\\'])}::text[] as texts, ${sql.param([])}::uuid[] as none,
    ${sql.param([1, 2])}::int[] as ints,
    ${JSON.stringify({ a: ['"'] })}::jsonb as json, ${JSON.stringify([1])}::json as list, ${true}::boolean as yes,
    ${false}::boolean as no, ${null}::text as nothing, ${12}::int as int, ${1.5}::numeric as exact,
    ${'2026-01-31 12:00:00.123456+00'}::timestamptz as instant, ${Buffer.from([0, 255])}::bytea as bytes`

const failureOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => {
      throw new Error('expected a rejection')
    },
    (error: unknown) => error,
  )

const inKit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => openPool(fresh.url).transaction(work)
const insertOrder = (id: number): SQL => sql`insert into trade.orders (id) values (${id}::int)`
const orders = () => inKit((tx) => tx.execute<{ id: number }>(sql`select id from trade.orders order by id`))
const ended = { name: 'TypeError', message: expect.stringContaining('has ended') }

describe.each(driverNames)('kitTx over %s', (driver) => {
  const open = (options = {}) => applications[driver](fresh.url, options)
  let next = driver === 'postgres.js' ? 1 : 1_000_000
  const newOrder = () => next++

  test.each([
    ['columns of every type', everyType],
    ['parameters of every type', parameters],
    ['no rows', sql`select 1 as one where false`],
    ['no columns', sql`select from (values (1), (2)) v`],
    ['two columns of the same name', sql`select 1 as a, 2 as a`],
    ['no result', sql`update trade.orders set title = 'x' where false`],
  ])('a statement with %s returns the same rows as in a transaction of the kit', async (_, statement) => {
    const expected = await inKit((tx) => tx.execute(statement))
    const { transaction } = open({ timeZone: 'Asia/Kolkata' })
    const found = await transaction((tx) => kitTx(tx).execute(statement))
    // The rows are copied to plain arrays, because results of postgres.js are instances of its own array class.
    expect([...found]).toEqual([...expected].map((row) => ({ ...row })))
    expect(found).toHaveLength(expected.length)
  })

  test('arrays can contain null and the text NULL', async () => {
    const { transaction } = open()
    const texts = ['NULL', null, '', '{}', ',', '"', '\\']
    const [row] = await transaction((tx) =>
      kitTx(tx).execute(sql`select ${sql.param(texts)}::text[] as texts, array[[true, null]] as flags`),
    )
    expect(row).toEqual({ texts, flags: [[true, null]] })
  })

  test('an undefined parameter is rejected', async () => {
    const { transaction } = open()
    const statement = sql`select ${sql.param(undefined)}::text`
    expect(await failureOf(transaction((tx) => kitTx(tx).execute(statement)))).toBeInstanceOf(TypeError)
  })

  test('a text with two statements is rejected', async () => {
    const { transaction } = open()
    expect(await failureOf(transaction((tx) => kitTx(tx).execute(sql`select 1; select 2`)))).toMatchObject({
      code: '42601',
    })
  })

  test('concurrent statements run in order on one connection', async () => {
    const { transaction } = open()
    const rows = await transaction(async (tx) => {
      const kit = kitTx(tx)
      const one = sql`select pg_backend_pid() as pid, nextval('trade.steps')::int as step`
      await kit.execute(sql`create sequence trade.steps`)
      const found = await Promise.all(
        Array.from({ length: 20 }, () => kit.execute<{ pid: number; step: number }>(one)),
      )
      await kit.execute(sql`drop sequence trade.steps`)
      return found.flat()
    })
    expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(1)
  })

  test('writes of the kit and of the application are rolled back together', async () => {
    const { transaction } = open()
    const id = newOrder()
    const target = { kind: 'Document', typeCode: 'trade.order', id: newId() }
    const undone = transaction(async (tx) => {
      await tx.execute(`insert into trade.orders (id) values (${id})`)
      const event = { module: 'trade', target, actionCode: 'made', actorUserId: null, correlationId: null }
      await recordAudit(kitTx(tx), event)
      tx.rollback()
    })
    expect(await failureOf(undone)).toMatchObject({ message: 'Rollback' })
    expect(await orders()).not.toContainEqual({ id })
    const events = await inKit((tx) =>
      tx.execute(sql`select from core_audit.audit_events where target_id = ${target.id}::uuid`),
    )
    expect(events).toHaveLength(0)
  })

  test('a rejected savepoint rolls back only its own writes, including nested savepoints', async () => {
    const { transaction } = open()
    const [before, refused, inner, after] = [newOrder(), newOrder(), newOrder(), newOrder()]
    await transaction(async (tx) => {
      const kit = kitTx(tx)
      await kit.execute(insertOrder(before))
      const part = kit.savepoint(async (scope) => {
        await scope.execute(insertOrder(refused))
        await scope.savepoint((deep) => deep.execute(insertOrder(inner)))
        await scope.execute(insertOrder(before))
      })
      expect(await failureOf(part)).toMatchObject({ code: '23505' })
      await kit.savepoint((scope) => scope.execute(insertOrder(after)))
    })
    const ids = (await orders()).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([before, after]))
    expect(ids).not.toContain(refused)
    expect(ids).not.toContain(inner)
  })

  test("a rollback to the application's own savepoint also undoes the kit's writes in this savepoint", async () => {
    const { transaction } = open()
    const [kept, undone] = [newOrder(), newOrder()]
    await transaction(async (tx) => {
      await kitTx(tx).execute(insertOrder(kept))
      await failureOf(
        tx.transaction(async (nested) => {
          await kitTx(nested).execute(insertOrder(undone))
          nested.rollback()
        }),
      )
    })
    const ids = (await orders()).map(({ id }) => id)
    expect(ids).toContain(kept)
    expect(ids).not.toContain(undone)
  })

  test.each(['commit', 'rollback'] as const)(
    'statements after the %s of their transaction are rejected',
    async (end) => {
      // With only one connection, a late statement would run on the connection of the ended transaction.
      const { transaction } = open({ poolMax: 1 })
      const id = newOrder()
      const kept = Promise.withResolvers<[Tx, ApplicationTransaction]>()
      const done = transaction(async (tx) => {
        kept.resolve([kitTx(tx), tx])
        await kitTx(tx).execute(sql`select 1`)
        if (end === 'rollback') tx.rollback()
      })
      await (end === 'commit' ? done : failureOf(done))
      const [kit, tx] = await kept.promise
      expect(await failureOf(kit.execute(insertOrder(id)))).toMatchObject(ended)
      expect(await failureOf(kit.savepoint((scope) => scope.execute(insertOrder(id))))).toMatchObject(ended)
      expect(await failureOf(kitTx(tx).execute(insertOrder(id)))).toMatchObject(ended)
      await transaction(async (other) => {
        await kitTx(other).execute(sql`select 1`)
        expect(await failureOf(kit.execute(insertOrder(id)))).toMatchObject(ended)
      })
      expect(await orders()).not.toContainEqual({ id })
    },
  )

  test('a statement sent while the transaction is ending is rejected', async () => {
    const { transaction } = open({ poolMax: 1 })
    const id = newOrder()
    const late = Promise.withResolvers<unknown>()
    await transaction(async (tx) => {
      const kit = kitTx(tx)
      const first = kit.execute(sql`select pg_sleep(0)`)
      late.resolve(failureOf(first.then(() => kit.execute(insertOrder(id)))))
    })
    expect(await late.promise).toMatchObject(ended)
    expect(await orders()).not.toContainEqual({ id })
  })

  test('statements after the end of their savepoint are rejected', async () => {
    const { transaction } = open()
    const late = await transaction(async (tx) => {
      const scope = await kitTx(tx).savepoint(async (inner) => ({ inner }))
      return failureOf(scope.inner.execute(sql`select 1`))
    })
    expect(late).toMatchObject(ended)
  })

  test('the application can reuse its connection for later transactions', async () => {
    const { transaction } = open({ poolMax: 1 })
    const ids = Array.from({ length: 5 }, newOrder)
    for (const id of ids) {
      await transaction(async (tx) => {
        await kitTx(tx).execute(insertOrder(id))
        await tx.execute(`update trade.orders set title = 'ours' where id = ${id}`)
      })
    }
    expect((await orders()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  })

  test('a statement that exceeds the statement timeout is rejected with service.unavailable', async () => {
    const { transaction } = open()
    const outcome = await failureOf(
      transaction(async (tx) => {
        await tx.execute("set local statement_timeout = '1ms'")
        await kitTx(tx).execute(sql`select pg_sleep(60)`)
      }),
    )
    expect(outcome).toMatchObject({ code: 'service.unavailable' })
  })

  test('the statements behind a lock that is not available are rejected with the reason', async () => {
    const { transaction } = open()
    const held = await holdTransaction(openPool(fresh.url), (tx) => tx.execute(sql`lock table trade.orders`))
    const outcome = await failureOf(
      transaction(async (tx) => {
        const kit = kitTx(tx)
        const sent = [sql`lock table trade.orders nowait`, sql`select 1`]
        const failures = await Promise.all(sent.map((statement) => failureOf(kit.execute(statement))))
        throw new Error('all have failed', { cause: failures })
      }),
    )
    await held.rollback()
    const unavailable = { code: 'service.unavailable', cause: { code: '55P03' } }
    expect(outcome).toMatchObject({ cause: [unavailable, unavailable] })
  })

  test('a failed savepoint is not the reason for a later failure', async () => {
    const { transaction } = open()
    const outcome = await failureOf(
      transaction(async (tx) => {
        await failureOf(kitTx(tx).savepoint((part) => part.execute(sql`select 1 / 0`)))
        await failureOf(tx.execute('select unknown_column'))
        throw new Error('later', { cause: await failureOf(kitTx(tx).execute(sql`select 1`)) })
      }),
    )
    expect(outcome).toMatchObject({ cause: { code: '25P02' } })
  })

  test('statements on a lost connection are rejected with service.unavailable', async () => {
    const { transaction } = open({ poolMax: 1 })
    const statement = Promise.withResolvers<unknown>()
    const late = Promise.withResolvers<unknown>()
    const lost = transaction(async (tx) => {
      const kit = kitTx(tx)
      const [row] = await kit.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      const sleep = kit.execute(sql`select pg_sleep(600)`)
      statement.resolve(failureOf(sleep))
      await inKit((own) => own.execute(sql`select pg_terminate_backend(${row?.pid ?? 0}::int)`))
      await statement.promise
      late.resolve(failureOf(kit.execute(sql`select 1`)))
      await late.promise
      // Stays pending: if this callback settled, postgres.js would write a rollback to a closed socket:
      // https://github.com/porsager/postgres/issues/1208
      await (driver === 'postgres.js' ? new Promise(() => {}) : sleep)
    })
    await failureOf(lost)
    expect(await statement.promise).toMatchObject({ code: 'service.unavailable' })
    expect(await late.promise).toMatchObject({ code: 'service.unavailable' })
  })

  test('kitTx throws for a database that is not in a transaction', () => {
    const { db } = open()
    expect(() => kitTx(db as never)).toThrow(
      new TypeError('kitTx needs a transaction: db.transaction(async (tx) => … kitTx(tx) …)'),
    )
  })
})

test('kitTx throws for a transaction of another driver', () => {
  const other = { _: { session: { client: 'libsql' } }, rollback: () => {}, transaction: () => {} }
  expect(() => kitTx(other as never)).toThrow(TypeError)
})

test('the parameter type of kitTx accepts transactions of both drivers and rejects other types', () => {
  type Schema = Record<string, never>
  expectTypeOf<PostgresJsTransaction<Schema, Schema>>().toExtend<ApplicationTransaction>()
  expectTypeOf<NodePgTransaction<Schema, Schema>>().toExtend<ApplicationTransaction>()
  type Orders = { orders: PgTable }
  type WithSchema = NodePgTransaction<Orders, ExtractTablesWithRelations<Orders>>
  expectTypeOf<WithSchema>().toExtend<ApplicationTransaction>()
  expectTypeOf<ApplicationTx>().toExtend<ApplicationTransaction>()
  expectTypeOf<Application['db']>().not.toExtend<ApplicationTransaction>()
  expectTypeOf<number>().not.toExtend<ApplicationTransaction>()
  expectTypeOf<Tx>().not.toExtend<ApplicationTransaction>()
  expectTypeOf(kitTx).parameter(0).toEqualTypeOf<ApplicationTransaction>()
  expectTypeOf(kitTx).returns.toEqualTypeOf<Tx>()
})
