import type { HealthCheck, HealthReport, HealthResult } from '@vertical-kit/core-audit/host'
import { openTestHost } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reportHealth } from '../../src/host/health.ts'
import { healthRoutes, routesOfChecks } from '../../src/host/health-routes.ts'
import { openConnection, openDatabase, openPool, refusalOf, runSql } from '../harness.ts'

const check = (name: string, result: Awaited<ReturnType<HealthCheck['check']>>): HealthCheck => ({
  name,
  check: async () => result,
})

const healthy = check('database', { status: 'Healthy' })
const degraded = check('outbox', {
  status: 'Degraded',
  pendingCount: 3,
  failedCount: 1,
  oldestPendingAgeSeconds: 90,
})
const unhealthy = check('prices', { status: 'Unhealthy' })

describe('the overall status', () => {
  test.each([
    ['without parts', [], 'Healthy'],
    ['with healthy parts', [healthy], 'Healthy'],
    ['with a degraded part', [healthy, degraded], 'Degraded'],
    ['with an unhealthy part', [degraded, unhealthy, healthy], 'Unhealthy'],
  ] as const)('is the status of the worst part (%s)', async (_case, checks, status) => {
    expect((await reportHealth(checks)).status).toBe(status)
  })
})

describe('a part', () => {
  test('is reported with the result and duration of its check', async () => {
    const { entries } = await reportHealth([healthy, degraded])
    expect(entries).toEqual({
      database: { status: 'Healthy', durationMs: expect.any(Number) },
      outbox: {
        status: 'Degraded',
        pendingCount: 3,
        failedCount: 1,
        oldestPendingAgeSeconds: 90,
        durationMs: expect.any(Number),
      },
    })
  })

  test.each<[string, HealthCheck['check']]>([
    ['rejects', () => Promise.reject(new Error('down'))],
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
  ])('with a check that %s is unhealthy, and other parts are still reported', async (_case, failing) => {
    const { status, entries } = await reportHealth([{ name: 'broken', check: failing }, healthy])
    expect(status).toBe('Unhealthy')
    expect(entries).toMatchObject({ broken: { status: 'Unhealthy' }, database: { status: 'Healthy' } })
  })

  test('with a check that times out is unhealthy, and the check is aborted', async () => {
    const stopped = Promise.withResolvers<void>()
    const silent: HealthCheck = {
      name: 'silent',
      check: (signal) => {
        signal.addEventListener('abort', () => stopped.resolve())
        return new Promise(() => {})
      },
    }
    const { status, entries } = await reportHealth([silent, healthy], 20)
    await stopped.promise
    expect(status).toBe('Unhealthy')
    expect(entries['database']?.status).toBe('Healthy')
  })
})

describe('the routes', () => {
  /** Sends a request to a host with this database and these health checks. */
  const ask = async (path: string, databaseUrl: string, health: readonly HealthCheck[] = []) => {
    const host = await openTestHost({
      databaseUrl,
      modules: () => [{ name: 'test', health }],
    })
    const response = await host.app.request(path)
    await host.close()
    return { status: response.status, body: (await response.json()) as HealthReport }
  }

  const unreachable = 'postgres://nobody@127.0.0.1:1/none'

  test('/health reports the database and all parts of all modules', async () => {
    const database = await openDatabase()
    onTestFinished(() => database.drop())
    const { status, body } = await ask('/health', database.url, [degraded])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'Degraded',
      entries: { database: { status: 'Healthy' }, outbox: { status: 'Degraded', pendingCount: 3 } },
    })
  })

  test('/health is Unhealthy without a reason if the database is not usable', async () => {
    const { status, body } = await ask('/health', unreachable, [degraded])
    expect(status).toBe(503)
    expect(body).toMatchObject({ status: 'Unhealthy', entries: { outbox: { status: 'Degraded' } } })
    expect(body.entries['database']).toEqual({ status: 'Unhealthy', durationMs: expect.any(Number) })
  })

  test('a database that refuses to write is Degraded, and the host stays ready to read', async () => {
    const database = await openDatabase()
    onTestFinished(() => database.drop())
    const name = new URL(database.url).pathname.slice(1)
    await runSql(database.url, `alter database "${name}" set default_transaction_read_only = on`)
    const { status, body } = await ask('/health', database.url)
    expect(status).toBe(200)
    expect(body.entries['database']).toEqual({
      status: 'Degraded',
      detail: 'Transactions are read-only, because default_transaction_read_only is on. Reads still work.',
      durationMs: expect.any(Number),
    })
    expect((await ask('/health/ready', database.url)).status).toBe(200)
  })

  test('/health/ready reports only the database', async () => {
    const database = await openDatabase()
    onTestFinished(() => database.drop())
    expect(await ask('/health/ready', database.url, [unhealthy])).toEqual({
      status: 200,
      body: { status: 'Healthy' },
    })
    expect(await ask('/health/ready', unreachable)).toEqual({ status: 503, body: { status: 'Unhealthy' } })
  })

  test('a host stays ready while all its connections wait for a lock', async () => {
    const { url, drop } = await openDatabase()
    onTestFinished(drop)
    const database = openPool(url, { poolMax: 2, poolWaitMs: 20 })
    const host = healthRoutes({ database, modules: [] })
    const ready = async () => (await host.request('/health/ready')).status
    expect(await ready()).toBe(200)
    const waiting = await openConnection(url).begin(async (locked) => {
      await locked`select pg_advisory_xact_lock(1)`
      const behindLock = [1, 2].map(() =>
        database.transaction((tx) => tx.execute(sql`select pg_advisory_xact_lock(1)`)),
      )
      expect(await refusalOf(database.read((db) => db.execute(sql`select 1`)))).toBe('service.unavailable')
      expect(await ready()).toBe(200)
      return { behindLock }
    })
    await Promise.all(waiting.behindLock)
  })

  test.each(['/health', '/health/ready'])('%s runs each check once for concurrent requests', async (path) => {
    const answers = [Promise.withResolvers<HealthResult>(), Promise.withResolvers<HealthResult>()]
    let asked = 0
    const part: HealthCheck = {
      name: 'database',
      check: () => answers[asked++]?.promise ?? Promise.reject(new Error('checked too often')),
    }
    const host = routesOfChecks([part])
    const first = [1, 2, 3].map(() => host.request(path))
    answers[0]?.resolve({ status: 'Healthy' })
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(asked).toBe(1)

    answers[1]?.resolve({ status: 'Unhealthy' })
    expect((await host.request(path)).status).toBe(503)
    expect(asked).toBe(2)
  })

  test('/health/live answers while the process runs', async () => {
    expect(await ask('/health/live', unreachable, [unhealthy])).toEqual({
      status: 200,
      body: { status: 'Healthy' },
    })
  })
})
