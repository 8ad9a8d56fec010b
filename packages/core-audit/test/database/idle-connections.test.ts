import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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

test('connections that nobody uses are closed, and the next statement opens another one', async () => {
  let openedCount = 0
  const pool = createConnectionPool({
    ...{ name: 'idle', max: 4, sharedMax: 1, waitMs: 5_000, idleMs: 5 },
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
  await Promise.all([work(), work(), work()])
  expect(openedCount).toBe(3)
  await vi.waitUntil(() => pool.idleCount === 0, { interval: 1, timeout: 30_000 })
  await work()
  expect(openedCount).toBe(4)
  await pool.close(1)
})
