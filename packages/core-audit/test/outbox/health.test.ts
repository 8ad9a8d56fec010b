import type { Database } from '@vertical-kit/core-audit/database'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
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

/** Sets the age of every pending delivery. */
const age = (seconds: number): Promise<unknown> =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set state_since = statement_timestamp() - make_interval(secs => ${seconds})
      where state = 'pending'`),
  )

test('a consumer without deliveries is healthy', async () => {
  const { health } = makeConsumer(database, async () => {})
  expect(health.name).toBe('mailOutbox')
  expect(await report()).toEqual({
    status: 'Healthy',
    pendingCount: 0,
    failedCount: 0,
    oldestPendingAgeSeconds: null,
  })
})

test('the report contains the number and age of pending deliveries, and is Unhealthy after 15 minutes', async () => {
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

test('a consumer with a dead letter is degraded', async () => {
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

describe('deliveries behind a dead letter', () => {
  const failing = () =>
    makeConsumer(database, () => Promise.reject(new Error('no')), { config: { maxAttempts: 1 } })
  const change = async (command: 'retry' | 'discard') => {
    const [dead] = (await outbox.deliveries()).filter(({ state }) => state === 'dead')
    const argv = [command, dead?.eventId ?? '', '--reason', 'fixed']
    const exitCode = await runOutboxCommand({
      ...{ argv, environment: { DATABASE_URL: outbox.url }, operator: 'olga' },
      write: () => {},
    })
    expect(exitCode).toBe(0)
  }

  test('count as pending, but their age does not make the consumer unhealthy', async () => {
    await append('a')
    await failing().run()
    await append('a')
    await age(90_000)
    expect(await report()).toEqual({
      status: 'Degraded',
      pendingCount: 1,
      failedCount: 1,
      oldestPendingAgeSeconds: null,
    })
    await append('b')
    await age(890)
    expect(await report()).toMatchObject({
      status: 'Degraded',
      oldestPendingAgeSeconds: expect.closeTo(890, -1),
    })
    await age(905)
    expect(await report()).toMatchObject({ status: 'Unhealthy', pendingCount: 2 })
  })

  test('do not hide the age of earlier deliveries', async () => {
    await append('a')
    await append('a')
    await age(905)
    await database.statement((tx) =>
      tx.execute(sql`
        update core_audit.outbox_deliveries set state = 'dead'
        where consumer = 'mail' and position = (select max(position) from core_audit.outbox_deliveries)`),
    )
    expect(await report()).toMatchObject({ status: 'Unhealthy', pendingCount: 1, failedCount: 1 })
  })

  test.each(['retry', 'discard'] as const)('count their age from the time of the %s', async (command) => {
    await append('a')
    await failing().run()
    await append('a')
    await append('a')
    await age(90_000)
    await change(command)
    expect(await report()).toEqual({
      status: 'Healthy',
      pendingCount: command === 'retry' ? 3 : 2,
      failedCount: 0,
      oldestPendingAgeSeconds: expect.closeTo(0, -1),
    })
    expect(await report('other')).toMatchObject({ status: 'Unhealthy' })
  })
})

test('an unregistered consumer is unhealthy, and the report says how to register it', async () => {
  expect(await report('forgotten')).toEqual({
    status: 'Unhealthy',
    detail: expect.stringContaining('core_audit.register_outbox_consumer'),
  })
})
