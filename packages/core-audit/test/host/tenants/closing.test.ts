import type { Worker } from '@vertical-kit/core-audit/host'
import { blockedCount, holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { createBell } from '../../../src/host/workers.ts'
import { openPool, refusalOf, runSql } from '../../harness.ts'
import { openFleet } from './fleet.ts'

/** A worker without work. The question for its work waits while another transaction locks the table. */
const idle: Worker = {
  name: 'idle',
  intervalMs: 60_000,
  dueAt: sql<string | null>`(select null::timestamptz from public.handled limit 1)`,
  runOnce: async () => {},
}

/** Opens a tenant, and asks it for work when it is idle. The answer waits until `answer` is called. */
async function askIdle(worker: Worker) {
  const fleet = await openFleet({ count: 1, random: () => 0.99, workers: () => [worker] })
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  fleet.pass(60_000)
  const database = openPool(fleet.urlOf('t0'))
  const held = await holdTransaction(database, (tx) => tx.execute(sql`lock table public.handled`))
  const round = fleet.tenants.round()
  await untilBlocked(database)
  return {
    fleet,
    blockedCount: () => blockedCount(database),
    async answer() {
      await held.commit()
      await round
    },
  }
}

test('a tenant whose work is being asked for is not asked again', async () => {
  const { fleet, blockedCount, answer } = await askIdle(idle)
  await fleet.tenants.round()
  expect(await blockedCount()).toBe(1)
  await answer()
  expect(fleet.tenants.openCount).toBe(0)
})

test('an idle tenant is not asked for work during a long cycle of a worker', async () => {
  const ending = Promise.withResolvers<void>()
  onTestFinished(() => ending.resolve())
  const long: Worker = {
    ...idle,
    dueAt: sql<string | null>`public.due_at()`,
    keepsTenantOpen: true,
    runOnce: () => ending.promise,
  }
  const fleet = await openFleet({ count: 1, random: () => 0.99, workers: () => [long] })
  await runSql(
    fleet.urlOf('t0'),
    `create function public.due_at() returns timestamptz
     language sql begin atomic; insert into public.handled values ('asked'); select null::timestamptz; end`,
  )
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  fleet.pass(60_000)
  await fleet.tenants.round()
  expect(await fleet.stored('t0')).toEqual([])
  ending.resolve()
  const openLater = () => fleet.tenants.round().then(() => fleet.tenants.openCount)
  await expect.poll(openLater).toBe(0)
  expect(await fleet.stored('t0')).toEqual(['asked'])
})

test('a tenant stays open if a long cycle of a worker begins while it is asked for work', async () => {
  const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => ending.resolve())
  const bell = createBell()
  const outcomes: string[] = []
  const { fleet, answer } = await askIdle({
    ...{ ...idle, intervalMs: 3_600_000, keepsTenantOpen: true, bell },
    async runOnce(signal) {
      outcomes.push('started')
      if (outcomes.length === 1) return
      signal.addEventListener('abort', () => outcomes.push('aborted'))
      started.resolve()
      await ending.promise
    },
  })
  bell.ring()
  await started.promise
  await answer()
  expect(outcomes).toEqual(['started', 'started'])
  expect(fleet.tenants.openCount).toBe(1)
})

test('an answer that arrives after its tenant has closed does not replace that of a later visit', async () => {
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    random: () => 0.99,
    workers: () => [{ ...idle, dueAt: sql<string | null>`public.due_at()` }],
  })
  // Overdue work is read before the answer waits for the lock.
  const dueAt = `create function public.due_at() returns timestamptz language plpgsql as $$
    declare
      due_at timestamptz := (select now() - interval '1 hour' from public.handled);
    begin
      if due_at is not null then
        perform pg_advisory_xact_lock(1);
      end if;
      return due_at;
    end
  $$`
  for (const id of fleet.ids) await runSql(fleet.urlOf(id), dueAt)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await runSql(fleet.urlOf('t0'), "insert into public.handled values ('overdue')")
  const database = openPool(fleet.urlOf('t0'))
  const held = await holdTransaction(database, (tx) => tx.execute(sql`select pg_advisory_xact_lock(1)`))
  fleet.pass(60_000)
  const question = fleet.tenants.round()
  await untilBlocked(database)
  const other = fleet.get('t1', '/database')
  await runSql(fleet.urlOf('t0'), 'delete from public.handled')
  fleet.pass(1_000)
  await fleet.tenants.round()
  await held.commit()
  await question
  expect((await other).status).toBe(200)
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({ status: 'Healthy' })
})

test('a process that closes waits for the last steps of tenants that have closed before', async () => {
  const events: string[] = []
  const late = Promise.withResolvers<void>()
  onTestFinished(() => late.resolve())
  const worker: Worker = {
    ...idle,
    async finish() {
      await late.promise
      events.push('finished')
    },
  }
  const fleet = await openFleet({ count: 1, workers: () => [worker] })
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
  const closed = fleet.tenants.close().then(() => events.push('closed'))
  // A query takes longer than the rest of the closing.
  await fleet.sessions()
  late.resolve()
  await closed
  expect(events).toEqual(['finished', 'closed'])
})

test('a process that closes waits for the end of an opening', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0.99 })
  const reached = Promise.withResolvers<void>()
  fleet.compositions.set('t0', () => {
    reached.resolve()
    return new Promise(() => {})
  })
  const refused = refusalOf(fleet.get('t0', '/database'))
  await reached.promise
  await fleet.tenants.close()
  expect(fleet.tenants.openCount).toBe(0)
  expect(await refused).toBe('service.unavailable')
})
