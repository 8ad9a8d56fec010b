import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RecordedTelemetry, recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { event } from '../outbox/events.ts'
import { makeConsumer, type Outbox, openOutbox } from '../outbox/harness.ts'

let outbox: Outbox
let telemetry: RecordedTelemetry
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  telemetry = recordTelemetry()
})
afterAll(async () => {
  await telemetry.stop()
  await outbox.close()
})
beforeEach(() => telemetry.clear())
afterEach(() => outbox.clear())

const append = (...events: readonly ReturnType<typeof event>[]) =>
  outbox.database.transaction((tx) => appendToOutbox(tx, ...events))

const processed = () => telemetry.spans.filter(({ kind }) => kind === SpanKind.CONSUMER)

const attempts = async () =>
  (await telemetry.values())
    .filter(({ name }) => name === 'vertical_kit.outbox.attempts')
    .map(({ attributes, value }) => [attributes['vertical_kit.outbox.outcome'], value])

test('the span of a consumer starts a trace and links to the spans that appended its events', async () => {
  const writers = []
  for (const name of ['first', 'second']) {
    writers.push(await telemetry.inSpan(name, (span) => append(event()).then(() => span.spanContext())))
  }
  await append(event())
  await makeConsumer(outbox.database, async (tx) => void (await tx.execute(sql`select 1`))).run()

  const [span, ...others] = processed()
  expect(others).toEqual([])
  expect(span?.name).toBe('process mail')
  expect(span?.parentSpanContext).toBeUndefined()
  expect(span?.links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }))).toEqual(
    expect.arrayContaining(writers.map(({ traceId, spanId }) => ({ traceId, spanId }))),
  )
  expect(span?.links).toHaveLength(2)
  expect(span?.attributes).toMatchObject({
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': 'mail',
    'messaging.batch.message_count': 3,
  })
  expect(telemetry.tree(span?.spanContext().traceId ?? '').split('\n')).toEqual([
    'consumer process mail',
    '  client BEGIN',
    '  client SELECT core_audit.outbox_deliveries',
    ...Array(3).fill('  client SELECT'),
    '  client UPDATE core_audit.outbox_deliveries INSERT core_audit.outbox_attempts',
    '  client COMMIT',
  ])
})

test('a failed attempt fails the span of the consumer, and attempts are counted by outcome', async () => {
  const before = Object.fromEntries(await attempts())
  await append(event())
  const consumer = makeConsumer(
    outbox.database,
    async () => {
      throw new TypeError('c4n4ry')
    },
    { config: { maxAttempts: 2 } },
  )
  await consumer.run()
  await outbox.letTimePass()
  await consumer.run()
  expect(processed().map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [{ code: SpanStatusCode.ERROR }, 'TypeError'],
    [{ code: SpanStatusCode.ERROR }, 'TypeError'],
  ])
  expect(JSON.stringify(processed().map(({ events, attributes }) => [events, attributes]))).not.toContain(
    'c4n4ry',
  )
  expect(Object.fromEntries(await attempts())).toEqual({ ...before, failed: 1, dead: 1 })
})

test('a delivery that becomes a dead letter without a further attempt is counted as dead', async () => {
  const dead = async () => Object.fromEntries(await attempts())['dead'] ?? 0
  const before = await dead()
  await append(event())
  const fail = async () => {
    throw new Error('failed')
  }
  await makeConsumer(outbox.database, fail).run()
  expect(await dead()).toBe(before)
  await outbox.letTimePass()
  await makeConsumer(outbox.database, fail, { config: { maxAttempts: 1 } }).run()
  expect(await dead()).toBe(before + 1)
})

test('malformed trace contexts of a row are ignored', async () => {
  await append(event())
  await outbox.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data, traceparent)
      select gen_random_uuid(), type, source, 'other', schema_version, data, 'c4n4ry' from core_audit.outbox_events`),
  )
  await makeConsumer(outbox.database, async () => {}).run()
  expect(processed().flatMap(({ links }) => links)).toEqual([])
})
