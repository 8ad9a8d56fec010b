import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expireUploads } from '../../src/commands/expire-uploads.ts'
import { createExpiration } from '../../src/expiration.ts'
import { hello } from '../harness.ts'
import { backdate, eventCodes, storedAttachment, storedEvents } from '../rows.ts'
import { type Bench, openBench } from './bench.ts'

const batchSize = 4
let bench: Bench

beforeAll(async () => {
  bench = await openBench({ Attachments__ExpirationBatchSize: String(batchSize) })
})
afterAll(() => bench.close())
beforeEach(async () => {
  await bench.database.statement((tx) => tx.execute(sql`delete from attachments.attachments`))
})

const expire = () => bench.database.transaction((tx) => expireUploads(tx, bench.config))
const staleUpload = async () => {
  const attachment = await bench.reserve()
  await backdate(bench.database, attachment.id, bench.config.pendingStaleAgeMs)
  return attachment
}
const staleUploads = (count: number) => Promise.all(Array.from({ length: count }, staleUpload))
const expiredCount = async () => {
  const [row] = await bench.database.read((db) =>
    db.execute<{ count: number }>(
      sql`select count(*)::int as count from attachments.attachments where status = 'deleted'`,
    ),
  )
  return row?.count
}

test('an expired upload is deleted, and its event has no actor', async () => {
  const { id, target } = await staleUpload()
  expect(await expire()).toBe(1)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'deleted', is_completed: false })
  expect((await storedEvents(bench.database, id)).at(-1)).toEqual({
    action_code: 'attachments.upload_expired',
    module: 'attachments',
    target_id: target.id,
    actor_user_id: null,
    correlation_id: null,
    metadata: { attachmentId: id, ...hello, status: 'deleted' },
  })
})

test('ready attachments and recent uploads do not expire', async () => {
  const fresh = await bench.reserve()
  const nearly = await bench.reserve()
  await backdate(bench.database, nearly.id, bench.config.pendingStaleAgeMs - 60_000)
  const ready = await staleUpload()
  await bench.database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set status = 'ready', completed_at = now() where id = ${ready.id}::uuid`),
  )
  expect(await expire()).toBe(0)
  for (const { id } of [fresh, nearly, ready]) {
    expect(await eventCodes(bench.database, id)).toEqual(['upload_requested'])
  }
})

test('a batch expires the oldest uploads and never more than the batch size', async () => {
  const oldest = await bench.reserve()
  await backdate(bench.database, oldest.id, 2 * bench.config.pendingStaleAgeMs)
  await staleUploads(batchSize)
  expect(await expire()).toBe(batchSize)
  expect(await storedAttachment(bench.database, oldest.id)).toMatchObject({ status: 'deleted' })
  expect(await expire()).toBe(1)
  expect(await expire()).toBe(0)
})

test('a batch skips uploads that another transaction has locked and does not wait for them', async () => {
  const [locked, free] = await staleUploads(2)
  await bench.database.transaction(async (tx) => {
    await tx.execute(sql`select id from attachments.attachments where id = ${locked?.id}::uuid for update`)
    expect(await expire()).toBe(1)
  })
  expect(await storedAttachment(bench.database, free?.id ?? '')).toMatchObject({ status: 'deleted' })
  expect(await storedAttachment(bench.database, locked?.id ?? '')).toMatchObject({ status: 'pending' })
})

test('concurrent replicas expire each upload once', async () => {
  const uploads = await staleUploads(30)
  const worker = createExpiration(bench)
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 4 }, () => worker.runOnce(signal)))
  // A replica stops when all remaining rows are locked. The next cycle expires these rows.
  await worker.runOnce(signal)
  for (const { id } of uploads) {
    expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'upload_expired'])
  }
})

test('one cycle of the worker expires all batches', async () => {
  await staleUploads(2 * batchSize + 1)
  const worker = createExpiration(bench)
  expect(worker.intervalMs).toBe(30_000)
  await worker.runOnce(new AbortController().signal)
  expect(await expiredCount()).toBe(2 * batchSize + 1)
})

test('an aborted worker stops after the current batch', async () => {
  await staleUploads(3 * batchSize)
  const stopping = new AbortController()
  const database = {
    ...bench.database,
    transaction: async <T>(work: Parameters<typeof bench.database.transaction<T>>[0]) => {
      const result = await bench.database.transaction(work)
      stopping.abort()
      return result
    },
  }
  await createExpiration({ database, config: bench.config }).runOnce(stopping.signal)
  expect(await expiredCount()).toBe(batchSize)
})

test('the worker is due when the oldest pending upload expires, and never without one', async () => {
  const { dueAt } = createExpiration({ database: bench.database, config: bench.config })
  const secondsUntilDue = async () => {
    const [row] = await bench.database.read((db) =>
      db.execute<{ seconds: number | null }>(
        sql`select extract(epoch from ${dueAt ?? sql`null::timestamptz`} - created_at)::float8 as seconds
          from (select min(created_at) as created_at from attachments.attachments where status = 'pending') oldest`,
      ),
    )
    return row?.seconds
  }
  expect(await secondsUntilDue()).toBe(null)
  await Promise.all([bench.reserve(), staleUpload()])
  expect(await secondsUntilDue()).toBe(bench.config.pendingStaleAgeMs / 1_000)
  expect(await expire()).toBe(1)
  expect(await secondsUntilDue()).toBe(bench.config.pendingStaleAgeMs / 1_000)
})
