import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendToOutbox } from '../../src/outbox/commands/append-to-outbox.ts'
import { createOutboxRetention } from '../../src/outbox/retention.ts'
import { openConnection, runSql } from '../harness.ts'
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

const dayMs = 86_400_000
const prune = (batchSize = 3, signal = new AbortController().signal): Promise<void> =>
  createOutboxRetention({ database, config: { retentionMs: 30 * dayMs, batchSize } }).runOnce(signal)

/**
 * Appends events of a type that are `days` old. Their deliveries to `mail` and `other` have had these states since then.
 */
async function append(
  days: number,
  type: string,
  mail: string,
  other = 'completed',
  count = 1,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data, time)
      select gen_random_uuid(), ${type}, 'things', 'thing/' || gen_random_uuid(), 1, '{}',
        statement_timestamp() - make_interval(days => ${days})
      from generate_series(1, ${count}::int)`)
    await tx.execute(sql`
      update core_audit.outbox_deliveries d
      set state = case d.consumer when 'mail' then ${mail} else ${other} end, state_since = e.time
      from core_audit.outbox_events e
      where e.id = d.event_id and e.type = ${type}`)
    await tx.execute(sql`
      insert into core_audit.outbox_attempts (event_id, consumer, attempt, started_at, outcome)
      select d.event_id, d.consumer, 1, e.time, 'completed'
      from core_audit.outbox_deliveries d
      join core_audit.outbox_events e on e.id = d.event_id
      where e.type = ${type}`)
  })
}

const kept = async (): Promise<readonly unknown[]> => {
  const rows = await database.read((db) =>
    db.execute(sql`
      select e.type, count(distinct d.consumer)::int as deliveries, count(distinct a.id)::int as attempts
      from core_audit.outbox_events e
      left join core_audit.outbox_deliveries d on d.event_id = e.id
      left join core_audit.outbox_attempts a on a.event_id = e.id
      group by e.id
      order by e.position`),
  )
  return rows.map(({ type, deliveries, attempts }) => `${type} ${deliveries} ${attempts}`)
}

test('an event is deleted when the retention has passed since every consumer finished it', async () => {
  await append(40, 'old', 'completed', 'discarded')
  await append(40, 'waits', 'pending')
  await append(40, 'dead', 'completed', 'dead')
  await append(29, 'young', 'completed')
  await append(40, 'done-lately', 'completed')
  await database.statement((tx) =>
    tx.execute(sql`
      update core_audit.outbox_deliveries d
      set state_since = clock_timestamp()
      from core_audit.outbox_events e
      where e.id = d.event_id and e.type = 'done-lately' and d.consumer = 'mail'`),
  )
  await prune()
  expect(await kept()).toEqual(['waits 2 2', 'dead 2 2', 'young 2 2', 'done-lately 2 2'])
  const [attempts] = await database.read((db) =>
    db.execute(sql`select count(*)::int as count from core_audit.outbox_attempts`),
  )
  expect(attempts).toEqual({ count: 8 })
})

test('an old event without deliveries is deleted', async () => {
  await runSql(
    outbox.url,
    `insert into core_audit.outbox_events (id, type, source, subject, schema_version, data, time)
     select gen_random_uuid(), 'nobody', 'things', 'thing', 1, '{}', now() - make_interval(days => days)
     from unnest(array[31, 29]) as days;
     update core_audit.outbox_deliveries set state = 'completed';
     delete from core_audit.outbox_deliveries;`,
  )
  await prune()
  expect(await kept()).toEqual(['nobody 0 0'])
})

test('a cycle reads all batches and skips events that must stay', async () => {
  await append(40, 'waits', 'pending', 'pending', 7)
  await append(40, 'old', 'completed', 'completed', 20)
  await append(1, 'young', 'completed')
  await prune(4)
  expect(await kept()).toEqual([...Array.from({ length: 7 }, () => 'waits 2 2'), 'young 2 2'])
})

test('events of a clock that was ahead do not keep old events after them', async () => {
  await append(-365, 'ahead', 'completed', 'completed', 6)
  await append(40, 'old', 'completed', 'completed', 20)
  await append(1, 'young', 'completed')
  await prune(4)
  expect(await kept()).toEqual([...Array.from({ length: 6 }, () => 'ahead 2 2'), 'young 2 2'])
})

test('pruning stops between batches when the signal is aborted', async () => {
  await append(40, 'old', 'completed', 'completed', 5)
  const stopping = new AbortController()
  stopping.abort()
  await prune(2, stopping.signal)
  expect(await kept()).toHaveLength(5)
})

test('only one replica prunes at a time, and the other replicas do not wait', async () => {
  await append(40, 'old', 'completed', 'completed', 12)
  const gate = openConnection(outbox.url)
  await gate.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('vertical-kit.outbox-retention', 0))`
    await prune()
    expect(await kept()).toHaveLength(12)
  })
  await Promise.all([prune(2), prune(2), prune(2)])
  await prune(2)
  expect(await kept()).toEqual([])
})

test('recently handled events are kept until the retention has passed', async () => {
  await database.transaction((tx) => appendToOutbox(tx, event()))
  for (const name of ['mail', 'other']) await makeConsumer(database, async () => {}, { name }).run()
  await prune()
  expect(await kept()).toEqual(['thing.changed 2 2'])
})
