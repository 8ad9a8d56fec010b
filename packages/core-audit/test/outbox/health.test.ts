import { appendToOutbox, type Database } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'other'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

const append = (subject: string): Promise<void> =>
  database.transaction((tx) => appendToOutbox(tx, event({ subject })))
const report = (name = 'mail') =>
  makeConsumer(database, async () => {}, { name }).health.check(AbortSignal.timeout(3_000))

/** Makes every pending delivery as old as that. */
const age = (seconds: number): Promise<unknown> =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set state_since = statement_timestamp() - make_interval(secs => ${seconds})
      where state = 'pending'`),
  )

test('a consumer with nothing to do is healthy', async () => {
  const { health } = makeConsumer(database, async () => {})
  expect(health.name).toBe('mailOutbox')
  expect(await report()).toEqual({
    status: 'Healthy',
    pendingCount: 0,
    failedCount: 0,
    oldestPendingAgeSeconds: null,
  })
})

test('it tells what is pending and for how long, and is unhealthy past 15 minutes', async () => {
  await append('a')
  await append('a')
  await age(890)
  expect(await report()).toEqual({
    status: 'Healthy',
    pendingCount: 2,
    failedCount: 0,
    oldestPendingAgeSeconds: expect.closeTo(890, -1),
  })
  await age(905)
  expect(await report()).toMatchObject({ status: 'Unhealthy', pendingCount: 2 })
  expect(await report('other')).toMatchObject({ status: 'Unhealthy', pendingCount: 2 })
  await makeConsumer(database, async () => {}).run()
  expect(await report()).toMatchObject({ status: 'Healthy', pendingCount: 0 })
  expect(await report('other')).toMatchObject({ status: 'Unhealthy' })
})

test('it is degraded with a dead letter', async () => {
  await append('a')
  const failing = makeConsumer(database, () => Promise.reject(new Error('no')), {
    config: { maxAttempts: 1 },
  })
  await failing.run()
  expect(await report()).toEqual({
    status: 'Degraded',
    pendingCount: 0,
    failedCount: 1,
    oldestPendingAgeSeconds: null,
  })
})

test('a consumer that nobody registered gets nothing, and says so', async () => {
  expect(await report('forgotten')).toEqual({ status: 'Unhealthy' })
})
