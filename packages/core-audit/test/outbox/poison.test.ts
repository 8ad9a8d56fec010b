import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runSql } from '../harness.ts'
import { type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
beforeAll(async () => {
  outbox = await openOutbox(['mail'])
  await runSql(outbox.url, 'create schema test; create table test.handled (event_id uuid)')
})
afterAll(() => outbox.close())

const eventCount = 10_000
const batchSize = 25
const maxAttempts = 4

function startConsumer(): ChildProcess {
  const script = fileURLToPath(new URL('./fixtures/consumer-process.ts', import.meta.url))
  const command = ['--conditions=@vertical-kit/source', script, outbox.url]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Returns the number of deliveries of an event type for each `state × attempts`. */
async function deliveriesOf(type: string): Promise<Readonly<Record<string, number>>> {
  const rows = await outbox.database.read((db) =>
    db.execute<{ state: string; attempts: number; count: number }>(sql`
      select d.state, d.attempts, count(*)::int as count
      from core_audit.outbox_deliveries d
      join core_audit.outbox_events e on e.id = d.event_id
      where e.type = ${type}
      group by d.state, d.attempts`),
  )
  return Object.fromEntries(rows.map(({ state, attempts, count }) => [`${state} × ${attempts}`, count]))
}

/** Waits until the server has noticed the end of a process: until then, its transaction locks the deliveries of its batch. */
const untilUnlocked = () =>
  outbox.database.statement((tx) =>
    tx.execute(sql`select from core_audit.outbox_deliveries where lease_token is not null for update`),
  )

test('an event that kills its process becomes a dead letter, while 10,000 other events are handled once', async () => {
  // The poison event is in the middle of the others, and its subject has a later event.
  await outbox.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      select gen_random_uuid(),
        case when n = 5000 then 'poison' when n = 5001 then 'held' else 'thing.changed' end,
        'things', 'thing/' || case when n = 5001 then 5000 else n end, 1, '{}'
      from generate_series(1, ${eventCount + 2}::int) n`),
  )
  for (let death = 1; death <= maxAttempts; death += 1) {
    const child = startConsumer()
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await deliveriesOf('poison')).toEqual({ [`pending × ${death}`]: 1 })
    await untilUnlocked()
    await outbox.letTimePass()
  }
  const survivor = startConsumer()
  await vi.waitUntil(
    async () => Object.keys(await deliveriesOf('thing.changed')).every((key) => key.startsWith('completed')),
    { interval: 20, timeout: 30_000 },
  )
  await vi.waitUntil(async () => Object.keys(await deliveriesOf('poison'))[0]?.startsWith('dead'), {
    interval: 20,
    timeout: 30_000,
  })
  survivor.kill('SIGTERM')
  expect(await once(survivor, 'exit')).toEqual([0, null])

  expect(await deliveriesOf('poison')).toEqual({ [`dead × ${maxAttempts}`]: 1 })
  expect(await deliveriesOf('held')).toEqual({ 'pending × 0': 1 })
  // Only events in the first batch of the poison event lost an attempt, and each lost only one attempt.
  const others = await deliveriesOf('thing.changed')
  expect(Object.keys(others).toSorted()).toEqual(['completed × 1', 'completed × 2'])
  expect(others['completed × 2']).toBeLessThan(batchSize)
  const [effect] = await outbox.database.read((db) =>
    db.execute(sql`select count(*)::int as count, count(distinct event_id)::int as events from test.handled`),
  )
  expect(effect).toEqual({ count: eventCount, events: eventCount })
  const [poison] = (await outbox.deliveries()).filter(({ state }) => state === 'dead')
  expect((await outbox.attempts(poison?.eventId ?? '')).map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: maxAttempts }, () => 'abandoned'),
  )
}, 90_000)
