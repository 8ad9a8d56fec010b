import type { Database } from '@vertical-kit/core-audit/database'
import { createLogger, startWorkers } from '@vertical-kit/core-audit/host'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBell } from '../../src/host/workers.ts'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { createOutboxConsumer } from '../../src/outbox/consumer.ts'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import { type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  database = outbox.database
  await runSql(outbox.url, 'create schema test; create table test.sent (event_id uuid)')
})
afterAll(() => outbox.close())
beforeEach(async () => {
  await outbox.clear()
  await runSql(outbox.url, 'truncate test.sent')
})

const config = { pollIntervalMs: 2 ** 31 - 1, batchSize: 25, maxAttempts: 2 }
const common = { name: 'mail', healthName: 'mailOutbox', config } as const
const append = (): Promise<void> => database.transaction((tx) => appendToOutbox(tx, event()))
const run = ({ worker }: ReturnType<typeof createOutboxConsumer>) =>
  worker.runOnce(new AbortController().signal)
describe('onCommitted', () => {
  test('receives the result of handle and the events after other transactions can read the changes', async () => {
    await append()
    await append()
    const seen: unknown[] = []
    const onlooker = outbox.openPool()
    const consumer = createOutboxConsumer({
      ...common,
      database,
      async handle(tx, events) {
        const ids = events.map(({ id }) => id)
        await tx.execute(sql`insert into test.sent select unnest(${sql.param(ids)}::uuid[])`)
        return { sent: ids }
      },
      async onCommitted(result, events) {
        const rows = await onlooker.read((db) =>
          db.execute(sql`
            select event_id, state
            from test.sent
            join core_audit.outbox_deliveries d using (event_id)
            order by d.subject`),
        )
        seen.push({ result, ids: events.map(({ id }) => id), rows: [...rows] })
      },
    })
    await run(consumer)
    await run(consumer)
    const ids = (await outbox.deliveries())
      .toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
      .map(({ eventId }) => eventId)
    const rows = ids.map((id) => ({ event_id: id, state: 'completed' }))
    expect(seen).toEqual([{ result: { sent: ids }, ids, rows }])
  })

  test.each<[string, () => never | Promise<void>]>([
    ['rejects', () => Promise.reject(new RangeError('not connected'))],
    [
      'throws',
      () => {
        throw new RangeError('not connected')
      },
    ],
  ])(
    'that %s does not stop the loop: the error is logged and changes nothing',
    async (_case, onCommitted) => {
      await append()
      await append()
      const lines: unknown[] = []
      const logger = createLogger({ level: 'debug' })
      logger.warn = (...line: unknown[]) => void lines.push(line)
      const handle = async () => {}
      const consumer = createOutboxConsumer({ ...common, database, handle, onCommitted })
      await consumer.worker.runOnce(new AbortController().signal, logger)
      expect((await outbox.deliveries()).map(({ state, attempts }) => [state, attempts])).toEqual([
        ['completed', 1],
        ['completed', 1],
      ])
      expect(lines).toMatchObject([
        [
          {
            events: [{ type: 'thing.changed' }, { type: 'thing.changed' }],
            err: { name: 'RangeError', message: 'not connected' },
          },
          'onCommitted failed; its events are handled.',
        ],
      ])
    },
  )

  test('is not called for a failed attempt or a lost lease', async () => {
    await append()
    let followed = 0
    const onCommitted = () => {
      followed += 1
    }
    const failing = createOutboxConsumer({
      ...common,
      database,
      onCommitted,
      handle: () => Promise.reject(new Error('no')),
    })
    await run(failing)
    await outbox.letTimePass()
    await append()
    // Both leases are lost while the handler handles the first event separately.
    const handle = async (_tx: unknown, events: readonly unknown[]) => {
      if (events.length > 1) throw new Error('not together')
      await outbox.openPool().statement((tx) =>
        tx.execute(sql`
          update core_audit.outbox_deliveries set lease_token = gen_random_uuid()
          where ctid in (
            select ctid from core_audit.outbox_deliveries where lease_token is not null for update skip locked
          )`),
      )
    }
    await run(createOutboxConsumer({ ...common, database, onCommitted, handle }))
    expect(followed).toBe(1)
  })
})

test('a ring of the bell starts a cycle before the next poll', async () => {
  const handled = Promise.withResolvers<void>()
  const idle = Promise.withResolvers<void>()
  const bell = createBell()
  const consumer = createOutboxConsumer({ ...common, database, bell, handle: async () => handled.resolve() })
  const { worker } = consumer
  const observed = {
    ...worker,
    async runOnce(...cycle: Parameters<typeof worker.runOnce>) {
      await worker.runOnce(...cycle)
      idle.resolve()
    },
  }
  const running = startWorkers([observed], createLogger({ level: 'fatal' }))
  await idle.promise
  await append()
  bell.ring()
  await handled.promise
  await running.stop()
  expect(await outbox.deliveries()).toMatchObject([{ state: 'completed' }])
})
