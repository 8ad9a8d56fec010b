import { coreMigrations, type Database, migrate } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../../../../../vitest.own-postgres.ts'
import { openConnection, openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, seal, sealingWorker, storedSeals } from './sealed-log.ts'

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  database = openPool(fresh.url)
})

const signal = new AbortController().signal

/** Stores an event whose id PostgreSQL creates during the insert, with its clock. */
const insertNow = `
  insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
  values (
    (lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
      || '7' || substr(gen_random_uuid()::text, 16))::uuid,
    'trade', 'Document', 'trade.sales_invoice', gen_random_uuid(), 'documents.posted'
  )`

const sealedCount = async (): Promise<number> =>
  (await storedSeals(database)).reduce((sum, stored) => sum + Number(stored['event_count']), 0)

describe('an open transaction with an event', () => {
  test.each(['commit', 'rollback'] as const)('delays the seals of later events until its %s', async (end) => {
    const worker = sealingWorker(database)
    await addEvents(database, 1, 1)
    const late = await holdTransaction(database, (tx) => tx.execute(sql`${sql.raw(insertNow)}`))
    await addEvents(database, 2, 2)
    for (let cycle = 0; cycle < 3; cycle += 1) await worker.runOnce(signal)
    expect(await sealedCount()).toBe(0)
    await late[end]()
    await worker.runOnce(signal)
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(end === 'commit' ? 3 : 2)
    expect((await runAudit(fresh.url, ['verify'])).exitCode).toBe(0)
  })

  test('that its owner has stored in a partition directly delays the seals of later events', async () => {
    const worker = sealingWorker(database)
    await addEvents(database, 1, 1)
    const [row] = await database.read((db) =>
      db.execute<{ partition: string }>(sql`
        select tableoid::regclass::text as partition from core_audit.audit_events`),
    )
    const insert = insertNow.replace('core_audit.audit_events', row?.partition ?? '')
    const late = await holdTransaction(database, (tx) => tx.execute(sql`${sql.raw(insert)}`))
    await addEvents(database, 2, 2)
    for (let cycle = 0; cycle < 3; cycle += 1) await worker.runOnce(signal)
    expect(await sealedCount()).toBe(0)
    await late.commit()
    for (let cycle = 0; cycle < 2; cycle += 1) await worker.runOnce(signal)
    expect(await sealedCount()).toBe(3)
  })

  test('that began after a cycle delays only events since that cycle', async () => {
    const worker = sealingWorker(database)
    await addEvents(database, 1, 1)
    await worker.runOnce(signal)
    const late = await holdTransaction(database, (tx) => tx.execute(sql`${sql.raw(insertNow)}`))
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(1)
    await worker.runOnce(signal)
    await late.commit()
    expect(await sealedCount()).toBe(1)
    await worker.runOnce(signal)
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(2)
  })

  test('delays the seals while its event is in a savepoint, and no longer after the savepoint was undone', async () => {
    const worker = sealingWorker(database)
    await addEvents(database, 1, 1)
    const session = openConnection(fresh.url)
    await session.unsafe(`begin; savepoint a; ${insertNow}`)
    await worker.runOnce(signal)
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(0)
    await session.unsafe('rollback to a')
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(1)
    await session.unsafe('commit')
  })

  test('of another role delays the seals, although the host cannot see its activity', async () => {
    const role = `seal_host_${fresh.name}`
    await runSql(
      fresh.url,
      `create role ${role} login password 'host';
       grant usage on schema core_audit to ${role};
       grant select, insert on all tables in schema core_audit to ${role};`,
    )
    onTestFinished(() => runSql(fresh.url, `drop owned by ${role}; drop role ${role}`))
    const url = new URL(fresh.url)
    url.username = role
    url.password = 'host'
    const host = openPool(url.href)
    await addEvents(database, 1, 1)
    const late = await holdTransaction(database, (tx) => tx.execute(sql`${sql.raw(insertNow)}`))
    const worker = sealingWorker(host)
    await worker.runOnce(signal)
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(0)
    await late.commit()
    await worker.runOnce(signal)
    await worker.runOnce(signal)
    expect(await sealedCount()).toBe(2)
  })
})

test('an insert that waits after it has created its id delays the seals, although it has no transaction id', async () => {
  // The trigger runs after the id was created and before PostgreSQL assigns a transaction id.
  await runSql(
    fresh.url,
    `create function public.wait() returns trigger language plpgsql as
       $$begin if new.module = 'slow' then perform pg_advisory_xact_lock(7); end if; return new; end$$;
     create trigger wait before insert on core_audit.audit_events for each row execute function public.wait();`,
  )
  await addEvents(database, 1, 1)
  const gate = await holdTransaction(database, (tx) => tx.execute(sql`select pg_advisory_xact_lock(7)`))
  const slow = openConnection(fresh.url).unsafe(insertNow.replace("'trade'", "'slow'"))
  const inserted = slow.execute()
  await untilBlocked(database)
  const worker = sealingWorker(database)
  for (let cycle = 0; cycle < 3; cycle += 1) await worker.runOnce(signal)
  expect(await sealedCount()).toBe(0)
  await gate.commit()
  await inserted
  await worker.runOnce(signal)
  await worker.runOnce(signal)
  expect(await sealedCount()).toBe(2)
})

test('a transaction that only reads events, or writes other tables, delays nothing', async () => {
  await addEvents(database, 1, 1)
  const reader = await holdTransaction(database, async (tx) => {
    await tx.execute(sql`create table public.other (id int)`)
    await tx.execute(sql`insert into public.other values (1)`)
    await tx.execute(sql`select * from core_audit.audit_events`)
  })
  await seal(database)
  expect(await sealedCount()).toBe(1)
  await reader.rollback()
})

test('no event commits with an id among sealed ones, while many transactions write', async () => {
  const writers = openPool(fresh.url, { poolMax: 8 })
  const worker = sealingWorker(database)
  let isEnding = false
  const write = async (seed: number) => {
    for (let round = 0; !isEnding; round += 1) {
      await writers.transaction(async (tx) => {
        await tx.execute(sql`${sql.raw(insertNow)}`)
        // Some transactions take longer than several cycles of the worker.
        for (let step = (seed * 7 + round * 3) % 40; step > 0; step -= 1) await tx.execute(sql`select 1`)
        await tx.execute(sql`${sql.raw(insertNow)}`)
      })
    }
  }
  const writing = Promise.all(Array.from({ length: 8 }, (_, seed) => write(seed)))
  while ((await storedSeals(database)).length < 30) await worker.runOnce(signal)
  isEnding = true
  await writing
  const stored = await database.read((db) =>
    db.execute<{ id: string }>(sql`select id from core_audit.audit_events order by id desc`),
  )
  while ((await storedSeals(database)).at(-1)?.['last_event_id'] !== stored[0]?.id)
    await worker.runOnce(signal)
  expect(await sealedCount()).toBe(stored.length)
  const { exitCode, out } = await runAudit(fresh.url, ['verify'])
  expect({ exitCode, out }).toMatchObject({ exitCode: 0 })
})

test('a prepared transaction delays the seals until it ends, also if it began before the first cycle', async () => {
  const server = await startOwnPostgres({ settings: { max_prepared_transactions: '2' } })
  onTestFinished(() => server.stop())
  const url = server.url('postgres')
  await migrate({ databaseUrl: url, packs: [coreMigrations] })
  database = openPool(url)
  await addEvents(database, 1, 1)
  await runSql(url, `begin; ${insertNow}; prepare transaction 'early'`)
  const worker = sealingWorker(database)
  const session = openConnection(url)
  await session.unsafe(`begin; ${insertNow}`)
  await worker.runOnce(signal)
  // The writer of the first look continues under another virtual id.
  await session.unsafe(`prepare transaction 'late'`)
  await runSql(url, `commit prepared 'early'`)
  await worker.runOnce(signal)
  await worker.runOnce(signal)
  expect(await sealedCount()).toBe(0)
  await runSql(url, `commit prepared 'late'`)
  await worker.runOnce(signal)
  await worker.runOnce(signal)
  expect(await sealedCount()).toBe(3)
})
