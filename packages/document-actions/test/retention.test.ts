import { newId } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { pruneBatchSize, pruneExecutions } from '../src/commands/prune-executions.ts'
import { createRetention } from '../src/retention.ts'
import { type Bench, openBench } from './bench.ts'
import { dayMs } from './harness.ts'

const config = { executionRetentionMs: 90 * dayMs }
const hourMs = dayMs / 24
const never = new AbortController().signal

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())
beforeEach(() => bench.database.statement((tx) => tx.execute(sql`delete from document_actions.executions`)))

/** Stores executions of the given age with the keys `<name>-1`, `<name>-2`, … */
const store = (name: string, { ageMs, count = 1 }: { ageMs: number; count?: number }) =>
  bench.database.statement((tx) =>
    tx.execute(sql`
      insert into document_actions.executions (
        id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result, completed_at
      )
      select gen_random_uuid(), ${newId()}::uuid, ${name} || '-' || n, sha256(''), 'shop.order', gen_random_uuid(),
        'post', '{}', statement_timestamp() - ${ageMs}::bigint * interval '1 millisecond' - n * interval '1 microsecond'
      from generate_series(1, ${count}::int) n`),
  )

async function keptKeys(): Promise<readonly string[]> {
  const rows = await bench.database.read((db) =>
    db.execute<{ key: string }>(sql`
      select idempotency_key as key from document_actions.executions order by completed_at desc`),
  )
  return rows.map(({ key }) => key)
}

const prune = () => bench.database.transaction((tx) => pruneExecutions(tx, config))

test('pruning deletes only executions past their retention time', async () => {
  await store('fresh', { ageMs: 0 })
  await store('nearly', { ageMs: 90 * dayMs - hourMs })
  await store('past', { ageMs: 90 * dayMs + 1 })
  await store('ancient', { ageMs: 3_000 * dayMs })
  expect(await prune()).toBe(2)
  expect(await keptKeys()).toEqual(['fresh-1', 'nearly-1'])
  expect(await prune()).toBe(0)
})

test('a batch deletes at most 1,000 executions, oldest first', async () => {
  await store('old', { ageMs: 91 * dayMs, count: 3 })
  await store('older', { ageMs: 92 * dayMs, count: pruneBatchSize })
  expect(pruneBatchSize).toBe(1_000)
  expect(await prune()).toBe(1_000)
  expect(await keptKeys()).toEqual(['old-1', 'old-2', 'old-3'])
})

test('a worker cycle continues until all old executions are deleted', async () => {
  await store('old', { ageMs: 91 * dayMs, count: 2 * pruneBatchSize + 1 })
  await store('young', { ageMs: 0 })
  await createRetention({ database: bench.database, config }).runOnce(never)
  expect(await keptKeys()).toEqual(['young-1'])
})

test('an aborted worker cycle stops between batches', async () => {
  await store('old', { ageMs: 91 * dayMs, count: pruneBatchSize + 1 })
  const stopping = new AbortController()
  const { database } = bench
  const retention = createRetention({
    config,
    database: {
      ...database,
      async transaction(work) {
        const result = await database.transaction(work)
        stopping.abort()
        return result
      },
    },
  })
  await retention.runOnce(stopping.signal)
  expect(await keptKeys()).toHaveLength(1)
  await retention.runOnce(stopping.signal)
  expect(await keptKeys()).toHaveLength(1)
})

test('a replica does not wait for rows that another replica is pruning', async () => {
  await store('old', { ageMs: 91 * dayMs, count: pruneBatchSize + 5 })
  const replica = createDatabase({ ...databaseDefaults, url: bench.databaseUrl, lockTimeoutMs: 100 })
  onTestFinished(() => replica.close())
  const counts = await bench.database.transaction(async (tx) => {
    const own = await pruneExecutions(tx, config)
    return [own, await replica.transaction((other) => pruneExecutions(other, config))]
  })
  expect(counts).toEqual([pruneBatchSize, 5])
  expect(await keptKeys()).toEqual([])
})

test('concurrent replicas prune all old executions without errors', async () => {
  await store('old', { ageMs: 91 * dayMs, count: 3 * pruneBatchSize })
  const replica = createDatabase({ ...databaseDefaults, url: bench.databaseUrl })
  onTestFinished(() => replica.close())
  const workers = [bench.database, replica].map((database) => createRetention({ database, config }))
  await Promise.all(workers.map((worker) => worker.runOnce(never)))
  expect(await keptKeys()).toEqual([])
})
