import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { OutboxEvent } from '@vertical-kit/core-audit/outbox'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import { makeConsumer, type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'other'])
  database = outbox.database
  await runSql(outbox.url, 'create schema test; create table test.sent (event_id uuid)')
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await outbox.clear()
  await runSql(outbox.url, 'truncate test.sent')
})

const append = (...events: Parameters<typeof event>[0][]): Promise<void> =>
  database.transaction((tx) => appendToOutbox(tx, ...events.map((overrides) => event(overrides))))

/** Represents the work of a handler: a write in its transaction. */
const send = async (tx: Tx, { id }: OutboxEvent): Promise<void> => {
  await tx.execute(sql`insert into test.sent values (${id}::uuid)`)
}
const sent = (): Promise<readonly { event_id: string }[]> =>
  database.read((db) => db.execute(sql`select event_id from test.sent`))

/** Returns the deliveries of the consumer under test. */
const mine = async () => (await outbox.deliveries()).filter(({ consumer }) => consumer === 'mail')

test('a consumer receives every event once, unchanged, and does not affect other consumers', async () => {
  const seen: OutboxEvent[] = []
  await append(
    { subject: 'thing/1', correlationId: 'request-1', schemaVersion: 2, data: { name: 'Bolt' } },
    {},
  )
  const consumer = makeConsumer(database, async (_tx, got) => void seen.push(got))
  await consumer.run()
  await consumer.run()
  expect(seen).toHaveLength(2)
  expect(seen.find(({ subject }) => subject === 'thing/1')).toEqual({
    ...event({ subject: 'thing/1', correlationId: 'request-1', schemaVersion: 2, data: { name: 'Bolt' } }),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  const deliveries = await outbox.deliveries()
  expect(deliveries.filter(({ consumer: name }) => name === 'mail').map(({ state }) => state)).toEqual([
    'completed',
    'completed',
  ])
  expect(deliveries.filter(({ consumer: name }) => name === 'other').map(({ state }) => state)).toEqual([
    'pending',
    'pending',
  ])
  expect(consumer.logged).toEqual([])
})

test('the writes of a handler commit together with the completion and history of the delivery', async () => {
  await append({})
  await makeConsumer(database, send).run()
  const [delivery] = await mine()
  expect(await sent()).toEqual([{ event_id: delivery?.eventId }])
  expect(delivery).toMatchObject({ state: 'completed', attempts: 1, isLeased: false })
  expect(await outbox.attempts(delivery?.eventId ?? '')).toEqual([
    { attempt: 1, outcome: 'completed', error: null },
  ])
})

describe('a handler that fails', () => {
  test('is rolled back, logged once and retried later', async () => {
    await append({ data: { iban: 'canary' } })
    let isBroken = true
    const consumer = makeConsumer(database, async (tx, got) => {
      await send(tx, got)
      if (isBroken) throw new RangeError('the mail server is unavailable')
    })
    await consumer.run()
    await consumer.run()
    expect(await sent()).toEqual([])
    const [failed] = await mine()
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, isLeased: false })
    expect(consumer.logged).toMatchObject([
      {
        level: 'warn',
        event: { id: failed?.eventId, type: 'thing.changed' },
        attempt: 1,
        err: { type: 'RangeError', message: 'the mail server is unavailable' },
        delayMs: expect.any(Number),
      },
    ])
    const [wait] = await database.read((db) =>
      db.execute<{ seconds: number }>(sql`
        select extract(epoch from available_at - clock_timestamp())::float8 as seconds
        from core_audit.outbox_deliveries where consumer = 'mail'`),
    )
    expect(wait?.seconds).toBeLessThanOrEqual(2.4)

    isBroken = false
    await outbox.letTimePass()
    await consumer.run()
    expect(await sent()).toHaveLength(1)
    expect(await outbox.attempts(failed?.eventId ?? '')).toMatchObject([
      { attempt: 1, outcome: 'failed', error: { type: 'RangeError' } },
      { attempt: 2, outcome: 'completed', error: null },
    ])
    const history = await database.read((db) => db.execute(sql`select * from core_audit.outbox_attempts`))
    expect(JSON.stringify([history, consumer.logged])).not.toContain('canary')
  })

  test('on every attempt leads to a dead letter, which is not retried', async () => {
    await append({})
    let callCount = 0
    const consumer = makeConsumer(database, async () => {
      callCount += 1
      throw new Error('never')
    })
    for (let cycle = 0; cycle < 5; cycle += 1) {
      await consumer.run()
      await outbox.letTimePass()
    }
    expect(callCount).toBe(3)
    const [dead] = await mine()
    expect(dead).toMatchObject({ state: 'dead', attempts: 3, isLeased: false })
    expect((await outbox.attempts(dead?.eventId ?? '')).map(({ outcome }) => outcome)).toEqual([
      'failed',
      'failed',
      'failed',
    ])
    expect(consumer.logged.map(({ level }) => level)).toEqual(['warn', 'warn', 'error'])
  })

  test('in a statement fails the attempt even if the handler catches the error', async () => {
    await append({})
    const consumer = makeConsumer(database, async (tx, got) => {
      await send(tx, got)
      await tx.execute(sql`select 1 / 0`).catch(() => {})
    })
    await consumer.run()
    expect(await sent()).toEqual([])
    expect(await mine()).toMatchObject([{ state: 'pending', attempts: 1 }])
  })

  test('because of a lost connection is rolled back, and the attempt counts as failed', async () => {
    await append({})
    const consumer = makeConsumer(database, async (tx, got) => {
      await send(tx, got)
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)
    })
    await consumer.run()
    expect(await sent()).toEqual([])
    expect(await mine()).toMatchObject([{ state: 'pending', attempts: 1, isLeased: false }])
    expect(consumer.logged).toMatchObject([{ err: { code: 'service.unavailable' } }])
  })

  test('with a message that PostgreSQL cannot store is recorded as a failed attempt', async () => {
    await append({})
    await makeConsumer(database, () => Promise.reject(new Error('\0\ud800'))).run()
    const [delivery] = await mine()
    expect(await outbox.attempts(delivery?.eventId ?? '')).toMatchObject([{ outcome: 'failed' }])
  })
})

describe('a delivery', () => {
  test('waits for an earlier failed or dead delivery of its subject, but not for other subjects', async () => {
    await append(
      { subject: 'a', data: { n: 1 } },
      { subject: 'b', data: { n: 2 } },
      { subject: 'a', data: { n: 3 } },
      { subject: 'b', data: { n: 4 } },
      { subject: 'a', data: { n: 5 } },
    )
    const handled: unknown[] = []
    const consumer = makeConsumer(database, async (_tx, { data }) => {
      if (data['n'] === 1) throw new Error('poison')
      handled.push(data['n'])
    })
    for (const state of ['pending', 'pending', 'dead', 'dead']) {
      await consumer.run()
      expect(handled).toEqual([2, 4])
      expect((await mine()).map((delivery) => delivery.state)).toEqual([
        state,
        'completed',
        'pending',
        'completed',
        'pending',
      ])
      await outbox.letTimePass()
    }
  })

  test('waits while another process has leased an earlier delivery of its subject', async () => {
    await append({ subject: 'a', data: { n: 1 } }, { subject: 'a', data: { n: 2 } })
    const handled: unknown[] = []
    const second = makeConsumer(
      outbox.openPool(),
      async (_tx, { data }) => void handled.push(['second', data['n']]),
    )
    const first = makeConsumer(database, async (_tx, { data }) => {
      if (data['n'] === 1) await second.run()
      handled.push(['first', data['n']])
    })
    await first.run()
    expect(handled).toEqual([
      ['first', 1],
      ['first', 2],
    ])
  })

  test('does not wait for the long backlog of another subject', async () => {
    await append(...Array.from({ length: 30 }, (_, n) => ({ subject: 'a', data: { n } })), { subject: 'b' })
    const subjects: string[] = []
    await makeConsumer(database, async (_tx, { subject }) => void subjects.push(subject)).run()
    expect(subjects.slice(0, 2)).toEqual(['a', 'b'])
    expect(subjects).toHaveLength(31)
  })
})

test('a consumer stops after the current batch and makes no further claim', async () => {
  await append({}, {}, {}, {})
  const stopping = new AbortController()
  const consumer = makeConsumer(
    database,
    async (tx, got) => {
      await send(tx, got)
      stopping.abort()
    },
    { config: { batchSize: 3 } },
  )
  await consumer.run(stopping.signal)
  expect(await sent()).toHaveLength(3)
  const waiting = (await mine()).filter(({ state }) => state === 'pending')
  expect(waiting).toMatchObject([{ attempts: 0, isLeased: false }])
  await consumer.run(stopping.signal)
  expect(await sent()).toHaveLength(3)
})
