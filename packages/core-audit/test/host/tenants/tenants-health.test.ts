import { once } from 'node:events'
import type { Worker } from '@vertical-kit/core-audit/host'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { openPool, runSql } from '../../harness.ts'
import { openFleet } from './fleet.ts'

const behind = {
  status: 'Degraded',
  detail: '1 of 2 tenants have work that fails or stays due. The log names them.',
}

test('the health of the process counts a tenant whose cycle failed until a cycle succeeds', async () => {
  let isFailing = true
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const report: Worker = {
    name: 'report',
    intervalMs: 5_000,
    dueAt: sql<string | null>`now() + interval '1 hour'`,
    async runOnce() {
      if (isFailing) throw new Error('broken')
      started.resolve()
      await release.promise
    },
  }
  const fleet = await openFleet({ count: 2, workers: ({ id }) => (id === 't0' ? [report] : []) })
  const health = () => fleet.tenants.health.check(new AbortController().signal)
  for (let minute = 0; minute < 3; minute += 1) {
    await fleet.tenants.round()
    expect(fleet.tenants.openCount).toBe(0)
    expect(await health()).toEqual(behind)
    fleet.pass(60_000)
  }
  isFailing = false
  const round = fleet.tenants.round()
  await started.promise
  expect(await health()).toEqual(behind)
  release.resolve()
  await round
  expect(await health()).toEqual({ status: 'Healthy' })
  const errors = fleet.log.entries.filter(({ level }) => level === 'error')
  expect(errors).toHaveLength(3)
  for (const line of errors) expect(line).toMatchObject({ tenant: 't0', worker: 'report' })
})

test('the health of the process counts a tenant whose retry was aborted', async () => {
  const started = Promise.withResolvers<void>()
  const report: Worker = {
    name: 'report',
    intervalMs: 60_000,
    dueAt: sql<string | null>`now() + interval '1 hour'`,
    async runOnce(signal) {
      if (fleet.log.entries.length === 0) throw new Error('broken')
      started.resolve()
      await once(signal, 'abort')
    },
  }
  const turns = [0, 0.5]
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    random: () => turns.shift() ?? 0.99,
    workers: ({ id }) => (id === 't0' ? [report] : []),
  })
  await fleet.tenants.round()
  // The first visit of the other tenant, so that only `t0` has work afterwards.
  fleet.pass(30_000)
  await fleet.tenants.round()
  fleet.pass(30_000)
  const round = fleet.tenants.round()
  await started.promise
  expect((await fleet.get('t1', '/database')).status).toBe(200)
  await round
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual(behind)
})

/** A worker whose work is overdue by the interval in `handled`, if there is one. */
const stuck: Worker = {
  name: 'stuck',
  intervalMs: 60_000,
  dueAt: sql<string | null>`(select now() - subject::interval from public.handled)`,
  runOnce: async () => {},
}

test('the health of the process counts a tenant while its work stays due for 10 minutes and two cycles', async () => {
  const fleet = await openFleet({ count: 2, workers: ({ id }) => (id === 't0' ? [stuck] : []) })
  const healthAfter = async (statement: string) => {
    await runSql(fleet.urlOf('t0'), statement)
    fleet.pass(60_000)
    await fleet.tenants.round()
    return fleet.tenants.health.check(new AbortController().signal)
  }
  const healthy = { status: 'Healthy' }
  expect(await healthAfter("insert into public.handled values ('11 minutes')")).toEqual(healthy)
  expect(await healthAfter("update public.handled set subject = '13 minutes'")).toEqual(behind)
  const release = await fleet.hold('t0')
  expect(await healthAfter('select')).toEqual(behind)
  // A question that the database cannot answer changes nothing.
  expect(await healthAfter("update public.handled set subject = 'no interval'")).toEqual(behind)
  release()
  await runSql(fleet.urlOf('t0'), 'delete from public.handled')
  await fleet.tenants.round()
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual(healthy)
  // It was used a moment ago, so it stays open.
  expect(fleet.tenants.openCount).toBe(1)
  expect(fleet.log.entries.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ tenant: 't0', msg: 'Work of the tenant stays due.' }),
  ])
})

test('a visit that finds overdue work done by another replica ends the report and the longer pauses', async () => {
  const turns = [0, 0.999]
  let openings = 0
  const counted: Worker = {
    ...stuck,
    async runOnce() {
      openings += 1
    },
  }
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    random: () => turns.shift() ?? 0.999,
    workers: ({ id }) => (id === 't0' ? [counted] : []),
  })
  const health = () => fleet.tenants.health.check(new AbortController().signal)
  const visitAfter = async (seconds: number) => {
    fleet.pass(seconds * 1_000)
    await fleet.tenants.round()
  }
  const closeForOther = async () => {
    fleet.pass(5_000)
    expect((await fleet.get('t1', '/database')).status).toBe(200)
  }
  await runSql(fleet.urlOf('t0'), "insert into public.handled values ('13 minutes')")
  for (let eviction = 0; eviction < 5; eviction += 1) {
    await visitAfter(20)
    await closeForOther()
  }
  expect({ openings, health: await health() }).toEqual({ openings: 5, health: behind })
  await runSql(fleet.urlOf('t0'), 'delete from public.handled')
  await visitAfter(20)
  expect({ openings, health: await health() }).toEqual({ openings: 5, health: { status: 'Healthy' } })
  await runSql(fleet.urlOf('t0'), "insert into public.handled values ('13 minutes')")
  // The other tenant closes, because it is idle.
  await visitAfter(40)
  await visitAfter(20)
  await closeForOther()
  await visitAfter(5)
  expect(openings).toBe(7)
})

test('a last step that fails after the tenant has opened again does not change the report', async () => {
  let openingCount = 0
  const [late, cycled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const report = (opening: number): Worker => ({
    name: 'report',
    intervalMs: 60_000,
    dueAt: sql<string | null>`now() + interval '1 hour'`,
    async runOnce() {
      if (opening === 2) cycled.resolve()
    },
    async finish() {
      if (opening === 1) await late.promise
    },
  })
  const fleet = await openFleet({ count: 1, workers: () => [report(++openingCount)] })
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await cycled.promise
  late.reject(new Error('broken'))
  const errors = () => fleet.log.entries.filter(({ level }) => level === 'error')
  await expect.poll(errors).toEqual([expect.objectContaining({ tenant: 't0', worker: 'report' })])
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({ status: 'Healthy' })
})

test('a visit that fails after a request has opened the tenant does not change the report', async () => {
  const fleet = await openFleet({ count: 1, workers: () => [stuck], visitTimeoutMs: 60_000 })
  await fleet.tenants.round()
  const database = openPool(fleet.urlOf('t0'))
  const held = await holdTransaction(database, (tx) => tx.execute(sql`lock table public.handled`))
  fleet.pass(60_000)
  const round = fleet.tenants.round()
  await untilBlocked(database)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await runSql(
    fleet.urlOf('t0'),
    `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  await round
  await held.commit()
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({ status: 'Healthy' })
})

test('work that another replica has done no longer waits for a place', async () => {
  const ending = Promise.withResolvers<void>()
  onTestFinished(() => ending.resolve())
  const long: Worker = {
    ...{ name: 'long', intervalMs: 5_000, dueAt: null, keepsTenantOpen: true },
    runOnce: () => ending.promise,
  }
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    workers: ({ id }) => (id === 't0' ? [long] : [stuck]),
  })
  const healthAfter = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      fleet.pass(1_000)
      await fleet.tenants.round()
    }
    return fleet.tenants.health.check(new AbortController().signal)
  }
  for (const id of ['t1', 't0']) expect((await fleet.get(id, '/database')).status).toBe(200)
  await runSql(fleet.urlOf('t1'), "insert into public.handled values ('1 minute')")
  expect(await healthAfter(60)).toEqual({
    status: 'Degraded',
    detail: '1 of 2 tenants have work, but no place. The log names them.',
  })
  await runSql(fleet.urlOf('t1'), 'delete from public.handled')
  expect(await healthAfter(10)).toEqual({ status: 'Healthy' })
})
