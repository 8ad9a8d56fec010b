import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { OutboxEvent } from '@vertical-kit/core-audit/outbox'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import { makeBatchConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  database = outbox.database
  await runSql(outbox.url, 'create schema test; create table test.sent (subject text)')
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await outbox.clear()
  await runSql(outbox.url, 'truncate test.sent')
})

const append = (...subjects: readonly string[]): Promise<void> =>
  database.transaction((tx) => appendToOutbox(tx, ...subjects.map((subject) => event({ subject }))))

const send = (tx: Tx, events: readonly OutboxEvent[]) =>
  tx.execute(sql`insert into test.sent select unnest(${sql.param(subjectsOf(events))}::text[])`)
const sent = async (): Promise<readonly string[]> => {
  const rows = await database.read((db) =>
    db.execute<{ subject: string }>(sql`select subject from test.sent order by subject`),
  )
  return rows.map(({ subject }) => subject)
}
const subjectsOf = (events: readonly OutboxEvent[]) => events.map(({ subject }) => subject)

/** Returns the state and the attempts of the delivery of each subject, as `state × attempts`. */
const deliveries = async () =>
  Object.fromEntries(
    (await outbox.deliveries()).map(({ subject, state, attempts }) => [subject, `${state} × ${attempts}`]),
  )

/** Creates a handler that records its batches. It rejects a batch that contains one of the `poisonous` subjects. */
function makeHandler(...poisonous: readonly string[]) {
  const batches: (readonly string[])[] = []
  return {
    batches,
    async handle(tx: Tx, events: readonly OutboxEvent[]) {
      batches.push(subjectsOf(events))
      await send(tx, events)
      if (events.some(({ subject }) => poisonous.includes(subject))) throw new RangeError('poison')
    },
  }
}

test('the first events of all subjects are handled together in one transaction', async () => {
  await append('a', 'b', 'a', 'c')
  const { handle, batches } = makeHandler()
  await makeBatchConsumer(database, handle).run()
  expect(batches).toEqual([['a', 'b', 'c'], ['a']])
  expect(await sent()).toEqual(['a', 'a', 'b', 'c'])
  const [row] = await database.read((db) =>
    db.execute(sql`select count(distinct xmin::text)::int as count from test.sent`),
  )
  expect(row).toEqual({ count: 2 })
})

describe('a batch with a failing event', () => {
  test('is rolled back and retried one by one; only the failing event has a failed attempt', async () => {
    await append('a', 'b', 'c', 'b')
    const { handle, batches } = makeHandler('b')
    const consumer = makeBatchConsumer(database, handle)
    await consumer.run()
    expect(batches).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']])
    expect(await sent()).toEqual(['a', 'c'])
    const stored = await outbox.deliveries()
    expect(stored.map(({ state, attempts }) => `${state} × ${attempts}`)).toEqual([
      'completed × 1',
      'pending × 1',
      'completed × 1',
      'pending × 0',
    ])
    expect(await outbox.attempts(stored[0]?.eventId ?? '')).toMatchObject([{ outcome: 'completed' }])
    expect(await outbox.attempts(stored[1]?.eventId ?? '')).toMatchObject([{ outcome: 'failed' }])
    expect(consumer.logged).toMatchObject([
      { level: 'info', eventCount: 3, err: { type: 'RangeError' } },
      { level: 'warn', event: { subject: 'b' }, attempt: 1 },
    ])
  })

  test('is not repeated: the next attempt handles the failing event without other events', async () => {
    await append('b')
    const { handle, batches } = makeHandler('b')
    const consumer = makeBatchConsumer(database, handle)
    await consumer.run()
    await outbox.letTimePass()
    await append('a', 'c')
    await consumer.run()
    expect(batches).toEqual([['b'], ['a', 'c'], ['b']])
    expect(await deliveries()).toEqual({ a: 'completed × 1', b: 'pending × 2', c: 'completed × 1' })
  })

  test('releases the events that are not handled yet when the consumer stops', async () => {
    await append('a', 'b', 'c')
    const stopping = new AbortController()
    const consumer = makeBatchConsumer(database, async (tx, events) => {
      await send(tx, events)
      if (events.length > 1) throw new Error('not together')
      stopping.abort()
    })
    await consumer.run(stopping.signal)
    expect(await sent()).toEqual(['a'])
    expect(await deliveries()).toEqual({ a: 'completed × 1', b: 'pending × 0', c: 'pending × 0' })
    expect((await outbox.deliveries()).some(({ isLeased }) => isLeased)).toBe(false)
  })
})

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['exceeds the statement timeout', (tx) => tx.execute(sql`select pg_sleep(600)`)],
  ['loses its connection', (tx) => tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)],
  ['hides a failed statement', (tx) => tx.execute(sql`select 1 / 0`).catch(() => {})],
])('a batch that %s is rolled back and handled one by one', async (_how, fail) => {
  await append('a', 'b', 'c')
  const consumer = makeBatchConsumer(outbox.openPool({ statementTimeoutMs: 500 }), async (tx, events) => {
    await send(tx, events)
    if (events.length > 1) await fail(tx)
  })
  await consumer.run()
  expect(await sent()).toEqual(['a', 'b', 'c'])
  expect(await deliveries()).toEqual({ a: 'completed × 1', b: 'completed × 1', c: 'completed × 1' })
})

test('the batch after a slow batch is smaller', async () => {
  const leaseMs = 40
  const { handle, batches } = makeHandler()
  const consumer = makeBatchConsumer(
    database,
    async (tx, events) => {
      const startedMs = performance.now()
      await handle(tx, events)
      while (performance.now() - startedMs < (events.length * leaseMs) / 2) await sent()
    },
    { config: { leaseMs } },
  )
  for (let batch = 1; batch <= 2; batch += 1) {
    await append('a', 'b')
    await consumer.run()
  }
  // The second claim released event b, and a third claim handled it.
  expect(batches).toEqual([['a', 'b'], ['a'], ['b']])
  expect(Object.values(await deliveries())).toEqual(['completed × 1', 'completed × 1'])
})
