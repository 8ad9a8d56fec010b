import { once } from 'node:events'
import { migrate, migrationStatus, rehearseMigrations } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { openConnection, openPool } from '../harness.ts'
import {
  emptyDatabase,
  rewritePack,
  shopFiles,
  startMigrator,
  terminateMigrator,
  untilRefusedTurn,
  writePack,
} from './migration-packs.ts'

/** Waits until `count` migrator sessions on the server wait for a lock. */
const blockedMigrators = (url: string, count: number) => untilBlocked(openPool(url), count)

/** The files of a pack. The second file waits for a lock that the test holds. */
const stuckFiles = {
  '0001-create-shop.sql': 'create schema shop; create table shop.items (id int primary key);',
  '0002-wait.sql': `
    create table shop.half (id int);
    select pg_advisory_xact_lock(42);
    create table shop.whole (id int);`,
}

test('only one of several concurrent migrators applies the files', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', {
    ...shopFiles,
    '0003-count.sql': 'create table shop.runs (id int); insert into shop.runs values (1);',
  })
  // The test holds the lock until all migrators have asked for it.
  const gate = openConnection(databaseUrl)
  await gate`select pg_advisory_lock(hashtextextended('vertical-kit.migrate', 0))`
  const runs = Array.from({ length: 4 }, () => migrate({ databaseUrl, packs: [shop] }))
  await untilRefusedTurn(databaseUrl, 4)
  await gate`select pg_advisory_unlock(hashtextextended('vertical-kit.migrate', 0))`

  const applied = await Promise.all(runs)
  expect(applied.map((migrations) => migrations.length).sort()).toEqual([0, 0, 0, 3])
  expect(await gate`select from shop.runs`).toHaveLength(1)
})

test('a migrator that waits too long for another migrator fails, and the error contains the reason', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  const other = openConnection(databaseUrl)
  await other`select pg_advisory_lock(hashtextextended('vertical-kit.migrate', 0))`
  await expect(migrate({ databaseUrl, packs: [shop], migratorWaitMs: 20 })).rejects.toThrow(
    'Another migrator still runs on this database after a wait of 20 ms.',
  )
})

test('a migration that waits too long for a lock fails and is rolled back', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl, packs: [shop] })
  const more = await writePack('more', {
    '0001-add-names.sql': 'create schema more; alter table shop.items add column name text;',
  })
  const traffic = openConnection(databaseUrl)
  await traffic.begin(async (reading) => {
    await reading`select from shop.items`
    const attempt = migrate({ databaseUrl, packs: [shop, more], lockTimeoutMs: 20, lockAttempts: 2 })
    await expect(attempt).rejects.toMatchObject({
      message: expect.stringContaining('more/0001-add-names.sql failed'),
      cause: { code: '55P03' },
    })
  })
  const rows = await traffic`select to_regnamespace('more') as more`
  expect(rows[0]?.['more']).toBeNull()
  expect(await migrate({ databaseUrl, packs: [shop, more] })).toHaveLength(1)
})

test('a migration that does not get a lock lets requests continue and is tried again', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, shopFiles)
  const reader = await holdTransaction(openPool(databaseUrl), (tx) => tx.execute(sql`select from shop.items`))
  const attempts: number[] = []
  const applied = await migrate({
    databaseUrl,
    packs: [shop],
    lockTimeoutMs: 20,
    onRetry({ file }, attempt) {
      expect(file).toBe('0002-add-names.sql')
      attempts.push(attempt)
      if (attempt === 3) void reader.commit()
    },
  })
  expect(applied).toHaveLength(1)
  expect(attempts).toEqual([2, 3])
})

test('time limits of the database interrupt neither the wait of a migration nor the pause after it', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, shopFiles)
  const reader = await holdTransaction(openPool(databaseUrl), (tx) => tx.execute(sql`select from shop.items`))
  const connection = openConnection(databaseUrl)
  // PostgreSQL 15 has no `transaction_timeout`.
  const limits = await connection`
    select format('alter database %I set %I = 300', current_database(), name) as statement
    from pg_settings
    where name in (
      'statement_timeout', 'transaction_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout'
    )`
  for (const { statement } of limits) await connection.unsafe(statement)
  const onRetry = () => void reader.commit()
  const applied = await migrate({ databaseUrl, packs: [shop], lockTimeoutMs: 900, onRetry })
  expect(applied).toHaveLength(1)
})

test('the next migrator completes the work of a killed migrator', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', stuckFiles)
  const holder = openConnection(databaseUrl)
  await holder`select pg_advisory_lock(42)`
  const child = startMigrator(databaseUrl, shop)
  await blockedMigrators(databaseUrl, 1)
  child.kill('SIGKILL')
  await once(child, 'exit')

  // The next migrator starts while the session of the killed migrator still holds the advisory lock.
  const next = migrate({ databaseUrl, packs: [shop] })
  await untilRefusedTurn(databaseUrl, 1)
  await holder`select pg_advisory_unlock(42)`

  expect((await next).map(({ file }) => file)).toEqual(['0002-wait.sql'])
  const status = await migrationStatus({ databaseUrl, packs: [shop] })
  expect(status.map(({ state }) => state)).toEqual(['applied', 'applied'])
  const rows = await holder`select to_regclass('shop.half') as half, to_regclass('shop.whole') as whole`
  expect(rows[0]).toEqual({ half: 'shop.half', whole: 'shop.whole' })
})

test('a migrator that loses its connection while it applies a file fails, and the file is rolled back', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', stuckFiles)
  const holder = openConnection(databaseUrl)
  await holder`select pg_advisory_lock(42)`
  const attempt = migrate({ databaseUrl, packs: [shop] })
  const outcome = expect(attempt).rejects.toThrow()
  await blockedMigrators(databaseUrl, 1)
  await terminateMigrator(holder)
  await outcome
  const rows = await holder`select to_regclass('shop.half') as half`
  expect(rows[0]?.['half']).toBeNull()
  const status = await migrationStatus({ databaseUrl, packs: [shop] })
  expect(status.map(({ state }) => state)).toEqual(['applied', 'pending'])
})

test('the server ends the statement of a killed migrator, so that the next one need not wait for it', async () => {
  const databaseUrl = await emptyDatabase()
  const create = 'create schema shop; create table shop.items (id int primary key);'
  const shop = await writePack('shop', { '0001-create-shop.sql': `${create} select pg_sleep(600);` })
  const child = startMigrator(databaseUrl, shop)
  const connection = openConnection(databaseUrl)
  const sleeping = () => connection`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  while ((await sleeping()).count === 0);
  child.kill('SIGKILL')
  await once(child, 'exit')

  await rewritePack(shop, { '0001-create-shop.sql': create })
  expect(await migrate({ databaseUrl, packs: [shop], migratorWaitMs: 10_000 })).toHaveLength(1)
})

test('the server also ends a rehearsal with its process, but completes an index', async () => {
  const databaseUrl = await emptyDatabase()
  const fail = `raise exception 'interval %', current_setting('client_connection_check_interval')`
  const shop = await writePack('shop', { '0001-fail.sql': `do $$ begin ${fail}; end $$` })
  const ends = { cause: { message: 'interval 2s' } }
  await expect(rehearseMigrations({ databaseUrl, packs: [shop] })).rejects.toMatchObject(ends)

  await rewritePack(shop, {
    '0001-fail.sql': `
      create schema shop;
      create table shop.items as select 1 as id;
      create function shop.fail(id int) returns int immutable language plpgsql as $$ begin ${fail}; end $$;`,
    '0002-by-nothing.sql':
      '-- transaction: none\ncreate index concurrently by_nothing on shop.items (shop.fail(id));',
  })
  const continues = { cause: { message: 'interval 0' } }
  await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toMatchObject(continues)
})
