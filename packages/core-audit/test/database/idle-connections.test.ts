import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { databaseDefaults } from '../../src/database/config.ts'
import { openConnection } from '../../src/database/connection.ts'
import { createConnectionPool } from '../../src/database/connection-pool.ts'
import { driverTypes } from '../../src/database/driver-types.ts'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

let openedCount: number
beforeEach(() => {
  openedCount = 0
})

function openPoolOf(max: number, idleMs: number) {
  const pool = createConnectionPool({
    ...{ name: 'idle', max, sharedMax: 1, waitMs: 5_000, idleMs },
    open(onLost) {
      openedCount += 1
      const connection = openConnection(fresh.url, {
        ...{
          types: driverTypes,
          answerDeadlineMs: null,
          connect_timeout: databaseDefaults.connectTimeoutSeconds,
        },
        onLost,
      })
      return { connection }
    },
    refusal: () => new Error('busy'),
  })
  const work = () => pool.run(({ connection }) => connection.statement('select 1'))
  return { pool, work }
}

test('connections that nobody uses are closed, and the next statement opens another one', async () => {
  const { pool, work } = openPoolOf(4, 5)
  await Promise.all([work(), work(), work()])
  expect(openedCount).toBe(3)
  await vi.waitUntil(() => pool.idleCount === 0, { interval: 1, timeout: 30_000 })
  await work()
  expect(openedCount).toBe(4)
  await pool.close(1)
})

test('work beyond the maximum takes no place of other work, and only its own connection is closed', async () => {
  const { pool, work } = openPoolOf(1, 60_000)
  const [busy, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = pool.run(() => busy.promise)
  const extra = pool.runAtOnce(() => stuck.promise)
  const waiting = work()
  expect(pool.waitingCount).toBe(1)
  busy.resolve()
  await running
  await waiting
  stuck.resolve()
  await extra
  expect([openedCount, pool.idleCount, pool.runningCount]).toEqual([2, 1, 0])
  await work()
  expect(openedCount).toBe(2)
  await pool.close(1)
})
