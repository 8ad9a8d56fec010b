import type { KitModule } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { observeHost } from '@vertical-kit/core-audit/host'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { otherConsumersHealth } from '../../src/outbox/other-consumers.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
let modules: readonly KitModule[]
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'webhooks'])
  database = outbox.database
  modules = [{ name: 'processing', health: [makeConsumer(database, async () => {}).health] }]
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await outbox.clear()
  await database.transaction((tx) => appendToOutbox(tx, event()))
})

const report = (of = modules) => otherConsumersHealth(database, of).check(AbortSignal.timeout(3_000))
const age = (consumer: string, seconds: number) =>
  database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries
      set state_since = statement_timestamp() - make_interval(secs => ${seconds})
      where consumer = ${consumer}`),
  )

test('the report contains each consumer that no module has, with its work', async () => {
  expect(await report()).toEqual({
    status: 'Healthy',
    otherConsumers: {
      webhooks: { pendingCount: 1, failedCount: 0, oldestPendingAgeSeconds: expect.closeTo(0, -1) },
    },
  })
  expect((await report([])).otherConsumers).toHaveProperty('mail')
})

test('is degraded, with advice, when such a consumer is 15 minutes late', async () => {
  await age('mail', 905)
  expect(await report()).toMatchObject({ status: 'Healthy' })
  await age('webhooks', 905)
  expect(await report()).toMatchObject({
    status: 'Degraded',
    detail:
      'No host handles the events for webhooks. Mount its module and "outbox.processing" in a host, or remove the consumer ' +
      'with "outbox unregister".',
  })
})

test('the metrics contain a consumer that no module has', async () => {
  const telemetry = recordTelemetry()
  onTestFinished(() => telemetry.stop())
  onTestFinished(observeHost({ database, modules }))
  const pending = (await telemetry.values()).filter(({ name }) => name === 'vertical_kit.outbox.pending')
  expect(pending.map(({ attributes, value }) => [attributes['vertical_kit.outbox.consumer'], value])).toEqual(
    [
      ['webhooks', 1],
      ['mail', 1],
    ],
  )
})
