import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { clockWorker, type HealthReport, startBackgroundHost, startHost } from '@vertical-kit/core-audit/host'
import { captureLog, openTestHost } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { clockHealth } from '../../src/host/clock-health.ts'
import { openDatabase, openPool, shiftHostClock } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())
afterEach(() => vi.restoreAllMocks())

test.each([
  [600_000, "The host's clock is 600 s ahead of the database's. Synchronize the clocks of all machines."],
  [-600_000, "The host's clock is 600 s behind the database's. Synchronize the clocks of all machines."],
])('/health is Degraded with a reason if the host differs by %i ms', async (shiftMs, detail) => {
  const host = await openTestHost({ databaseUrl: fresh.url, modules: () => [] })
  onTestFinished(() => host.close())
  await host.database.clock.measure()
  shiftHostClock(shiftMs)
  const response = await host.app.request('/health')
  const { status, entries } = (await response.json()) as HealthReport
  expect([response.status, status]).toEqual([200, 'Degraded'])
  expect(entries['clock']).toEqual({ status: 'Degraded', detail, durationMs: expect.any(Number) })
})

test('a difference of four seconds is healthy', async () => {
  const { clock } = openPool(fresh.url)
  await clock.measure()
  shiftHostClock(4_000)
  expect(await clockHealth({ clock }).check(AbortSignal.timeout(3_000))).toEqual({ status: 'Healthy' })
})

test('the first check measures if no worker has measured; later checks send no statement', async () => {
  const database = openPool(fresh.url)
  const report = () => clockHealth(database).check(AbortSignal.timeout(3_000))
  expect(await report()).toEqual({ status: 'Healthy' })
  await database.close()
  expect(await report()).toEqual({ status: 'Healthy' })
})

test('the worker logs once when the clocks start to differ, and once when they agree again', async () => {
  const database = openPool(fresh.url)
  const worker = clockWorker(database)
  const log = captureLog()
  const cycle = () => worker.runOnce(new AbortController().signal, log.logger)
  await cycle()
  shiftHostClock(600_000)
  await cycle()
  await cycle()
  vi.restoreAllMocks()
  await cycle()
  await cycle()
  expect(log.entries.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', "The host's clock differs from the database's clock."],
    ['info', "The host's clock agrees with the database's clock again."],
  ])
})

test.each([
  ['startHost', startHost],
  ['startBackgroundHost', startBackgroundHost],
])('%s measures the clock before it prepares anything, and runs the worker', async (_name, start) => {
  const log = captureLog()
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  let hostAheadMs: number | null = null
  shiftHostClock(600_000)
  const host = await start({
    ...{ title: 'Host', database, modules: [], logger: log.logger },
    authenticate: (_c, next) => next(),
    server: { host: '127.0.0.1', port: 0 },
    prepare: async () => {
      hostAheadMs = database.clock.hostAheadMs
    },
  })
  onTestFinished(() => host.close())
  expect(hostAheadMs).toBeGreaterThan(599_000)
  await expect
    .poll(() => log.entries.map(({ msg }) => msg))
    .toContain("The host's clock differs from the database's clock.")
})
