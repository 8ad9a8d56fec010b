import { kitTx } from '@vertical-kit/core-audit/drizzle'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApplicationTx, applications, driverNames } from '../../../../vitest.applications.ts'
import { openDatabase, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(
    fresh.url,
    `create schema trade;
     create table trade.orders (id int primary key);
     create table trade.endings (statement text);
     create function trade.end_commit() returns trigger language plpgsql as $$
       begin execute new.statement; return null; end
     $$;
     create constraint trigger end_commit after insert on trade.endings
       deferrable initially deferred for each row execute function trade.end_commit()`,
  )
})
afterAll(() => fresh.drop())

const insertOrder = (id: number): SQL => sql`insert into trade.orders (id) values (${id}::int)`
/** Makes the server run a statement during the commit. */
const endingWith = (statement: string) => (tx: ApplicationTx) =>
  kitTx(tx).execute(sql`insert into trade.endings (statement) values (${statement})`)
let next = 1
const newOrder = () => next++

describe.each(driverNames)('an after-commit callback of an application over %s', (driver) => {
  const open = (options = {}) => applications[driver](fresh.url, options)

  test('is called once after the commit, even if several savepoints add it', async () => {
    const { db, transaction } = open()
    const id = newOrder()
    let count = 0
    const committed = Promise.withResolvers<void>()
    const act = (): void => {
      count += 1
      committed.resolve()
    }
    await transaction(async (tx) => {
      kitTx(tx).afterCommit(act)
      await kitTx(tx).execute(insertOrder(id))
      await tx.transaction(async (nested) => kitTx(nested).afterCommit(act))
      await kitTx(tx).savepoint(async (part) => part.afterCommit(act))
      expect(count).toBe(0)
    })
    await committed.promise
    expect(await db.execute(sql`select 1`)).toBeDefined()
    expect(count).toBe(1)
  })

  test.each([
    ['the application rolls back', async (tx: ApplicationTx) => tx.rollback()],
    [
      'the application commits a failed transaction',
      (tx: ApplicationTx) =>
        kitTx(tx)
          .execute(sql`select 1 / 0`)
          .catch(() => {}),
    ],
    ['the commit fails', endingWith('select 1 / 0')],
    ['the connection is lost during the commit', endingWith('select pg_terminate_backend(pg_backend_pid())')],
  ])('is not called when %s', async (_, end) => {
    const { db, transaction } = open({ poolMax: 1 })
    let count = 0
    const ended = transaction(async (tx) => {
      kitTx(tx).afterCommit(() => {
        count += 1
      })
      await kitTx(tx).execute(insertOrder(newOrder()))
      await end(tx)
    })
    await Promise.resolve(ended).catch(() => {})
    // After a lost connection, postgres.js also rejects the next statement.
    await Promise.resolve(db.execute(sql`select 1`)).catch(() => {})
    expect(count).toBe(0)
  })

  test('is called only for the next commit after one that failed on the same connection', async () => {
    const { db, transaction } = open({ poolMax: 1 })
    const called: string[] = []
    const failed = transaction(async (tx) => {
      kitTx(tx).afterCommit(() => void called.push('failed'))
      await endingWith('select 1 / 0')(tx)
    })
    await expect(Promise.resolve(failed)).rejects.toThrow()
    await transaction(async (tx) => {
      kitTx(tx).afterCommit(() => void called.push('next'))
      await kitTx(tx).execute(insertOrder(newOrder()))
    })
    await db.execute(sql`select 1`)
    expect(called).toEqual(['next'])
  })
})

// This test does not apply to node-postgres, which never reuses a client after its connection is lost.
test('with postgres.js, the callback of a lost transaction is not called after a later commit', async () => {
  const { db, transaction } = applications['postgres.js'](fresh.url, { poolMax: 1 })
  const called: string[] = []
  const lost = transaction(async (tx) => {
    kitTx(tx).afterCommit(() => void called.push('lost'))
    const [session] = await kitTx(tx).execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await runSql(fresh.url, `select pg_terminate_backend(${session?.pid})`)
    // Stays pending: if this callback settled, postgres.js would write a rollback to a closed socket:
    // https://github.com/porsager/postgres/issues/1208
    await new Promise(() => {})
  })
  await expect(lost).rejects.toThrow('CONNECTION_CLOSED')
  await transaction(async (tx) => {
    kitTx(tx).afterCommit(() => void called.push('next'))
    await kitTx(tx).execute(insertOrder(newOrder()))
  })
  await db.execute(sql`select 1`)
  expect(called).toEqual(['next'])
})
