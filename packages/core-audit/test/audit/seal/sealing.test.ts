import { createAuditSealing } from '@vertical-kit/core-audit/audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startWorkers } from '@vertical-kit/core-audit/host'
import { captureLog, holdTransaction } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { cancelInserts } from '../../cancel-inserts.ts'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, config, idOf, seal, sealingWorker, storedSeals } from './sealed-log.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
})

const signal = new AbortController().signal

/** Fails each statement with a larger seal, like a server whose time limit it exceeds. */
const cancelAbove = (eventCount: number) =>
  cancelInserts(fresh.url, 'core_audit.audit_seals', `new.event_count > ${eventCount}`)

test('seals cover all events in the order of their ids, and a repetition adds nothing', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 3, 5)
  await addEvents(database, 1, 2)
  await seal(database)
  const first = { sequence: 1, first_event_id: idOf(1), last_event_id: idOf(5), event_count: 5 }
  expect(await storedSeals(database)).toEqual([first])
  await seal(database)
  expect(await storedSeals(database)).toEqual([first])
  await addEvents(database, 6, 6)
  await seal(database)
  expect(await storedSeals(database)).toEqual([
    first,
    { sequence: 2, first_event_id: idOf(6), last_event_id: idOf(6), event_count: 1 },
  ])
})

test('one cycle seals any number of events, and the whole log verifies', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 5_000)
  await seal(database)
  expect((await storedSeals(database)).map((stored) => stored['event_count'])).toEqual([4_096, 904])
  const { exitCode, out, err } = await runAudit(fresh.url, ['verify'])
  expect({ exitCode, out, err }).toEqual({
    exitCode: 0,
    out: [
      'Verified 5,000 events and 2 seals, up to 2026-01-01T00:00:05.000Z (seal 2). 0 newer events are not sealed yet.',
      'Not verified: that nobody replaced all seals, or removed the newest seals with their events. Use --anchor.',
    ],
    err: ['Found 5,000 of 5,000 sealed events, up to 2026-01-01T00:00:05.000Z (seal 2).'],
  })
})

test('a seal that exceeds the time limit of the server is replaced by smaller ones', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 20)
  const allow = await cancelAbove(10)
  await seal(database)
  expect((await storedSeals(database)).map((stored) => stored['event_count'])).toEqual([8, 8, 4])
  await allow()
  expect((await runAudit(fresh.url, ['verify'])).exitCode).toBe(0)
})

test('a single event that exceeds the time limit of the server fails the cycle', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 2)
  await cancelAbove(0)
  await expect(seal(database)).rejects.toMatchObject({ code: 'service.unavailable' })
})

test('an event is sealed only after the delay', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 1)
  await seal(database, { delayMs: 100 * 365 * 24 * 3_600_000 })
  expect(await storedSeals(database)).toEqual([])
  await seal(database)
  expect(await storedSeals(database)).toHaveLength(1)
})

test('simultaneous workers add one chain without gaps', async () => {
  const databases = Array.from({ length: 4 }, () => openPool(fresh.url, { poolMax: 2 }))
  const workers = databases.map((database) => sealingWorker(database))
  const [database] = databases
  if (database === undefined) throw new Error('No database')
  for (let round = 0; round < 10; round += 1) {
    await addEvents(database, round * 3, round * 3 + 2)
    await Promise.all(workers.map((worker) => worker.runOnce(signal)))
  }
  for (const worker of workers) await worker.runOnce(signal)
  const seals = await storedSeals(database)
  expect(seals.map(({ sequence }) => sequence)).toEqual(seals.map((_, index) => index + 1))
  expect(seals.at(-1)).toMatchObject({ last_event_id: idOf(29) })
  expect((await runAudit(fresh.url, ['verify'])).exitCode).toBe(0)
})

test('a worker does not wait for another one that seals', async () => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 1)
  const turn = await holdTransaction(database, (tx) =>
    tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.audit-seal', 0))`),
  )
  await seal(database)
  expect(await storedSeals(database)).toEqual([])
  await turn.commit()
  await seal(database)
  expect(await storedSeals(database)).toHaveLength(1)
})

test('an anchor is logged and stored after its seal, and again if storing it failed', async () => {
  const database = openPool(fresh.url)
  const log = captureLog('info')
  const stored: string[] = []
  const failure = new Error('The store is not available')
  const failures = [failure]
  const { workers = [] } = createAuditSealing({
    database,
    config,
    async storeAnchor({ text }) {
      const next = failures.pop()
      if (next !== undefined) throw next
      stored.push(text)
    },
  })
  const [worker] = workers
  await addEvents(database, 1, 2)
  await expect(worker?.runOnce(signal, log.logger)).rejects.toBe(failure)
  await worker?.runOnce(signal, log.logger)
  expect(stored).toEqual([expect.stringMatching(/^1:[0-9a-f]{64}$/)])
  const line = { level: 'info', auditAnchor: stored[0], lastEventId: idOf(2) }
  expect(log.entries).toMatchObject([line, line])
  expect((await runAudit(fresh.url, ['verify', '--anchor', stored[0] ?? ''])).exitCode).toBe(0)
  // The next anchor waits for its interval.
  await addEvents(database, 3, 3)
  await worker?.runOnce(signal, log.logger)
  await worker?.runOnce(signal, log.logger)
  expect(await storedSeals(database)).toHaveLength(2)
  expect(stored).toHaveLength(1)
})

test('a host that stops publishes the newest anchor before its interval has passed, and none twice', async () => {
  const database = openPool(fresh.url)
  const log = captureLog('info')
  const stored: number[] = []
  const { workers = [] } = createAuditSealing({
    database,
    config,
    storeAnchor: async ({ sequence }) => void stored.push(sequence),
  })
  for (const number of [1, 2, 3]) {
    await addEvents(database, number, number)
    for (const worker of workers) for (let cycle = 0; cycle < 2; cycle += 1) await worker.runOnce(signal)
  }
  expect(stored).toEqual([1])
  for (let start = 0; start < 2; start += 1) await startWorkers(workers, log.logger).stop()
  expect(stored).toEqual([1, 3])
})

test('an aborted cycle leaves its anchor to the end of the worker', async () => {
  const [database, other] = [openPool(fresh.url), openPool(fresh.url)]
  await addEvents(database, 1, 1)
  await seal(other)
  const stored: number[] = []
  const { workers = [] } = createAuditSealing({
    database,
    config,
    storeAnchor: async ({ sequence }) => void stored.push(sequence),
  })
  for (const worker of workers) await worker.runOnce(AbortSignal.abort())
  expect(stored).toEqual([])
  for (const worker of workers) await worker.finish?.(captureLog().logger)
  expect(stored).toEqual([1])
})

test('the anchors of a tenant that opens again while one is being stored follow in order, and none twice', async () => {
  const databaseConfig = { ...databaseDefaults, url: fresh.url }
  const events: string[] = []
  const slow = Promise.withResolvers<void>()
  const open = () => {
    const database = createDatabase(databaseConfig)
    onTestFinished(() => database.close())
    const { workers = [] } = createAuditSealing({
      database,
      config: { ...config, anchorIntervalMs: 0 },
      async storeAnchor({ sequence }) {
        events.push(`starts ${sequence}`)
        if (sequence === 2) await slow.promise
        events.push(`ends ${sequence}`)
      },
    })
    return { database, cycle: () => Promise.all(workers.map((worker) => worker.runOnce(signal))) }
  }
  const [left, reopened] = [open(), open()]
  await addEvents(left.database, 1, 1)
  await left.cycle()
  await addEvents(left.database, 2, 2)
  const cycles = [left.cycle()]
  await expect.poll(() => events).toEqual(['starts 1', 'ends 1', 'starts 2'])
  await addEvents(reopened.database, 3, 3)
  cycles.push(reopened.cycle())
  await expect.poll(() => storedSeals(reopened.database)).toHaveLength(3)
  slow.resolve()
  await Promise.all(cycles)
  await reopened.cycle()
  expect(events).toEqual(['starts 1', 'ends 1', 'starts 2', 'ends 2', 'starts 3', 'ends 3'])
})

test.each([
  `update core_audit.audit_seals set hash = hash`,
  `delete from core_audit.audit_seals`,
  `truncate core_audit.audit_seals`,
  `set session_replication_role = replica; delete from core_audit.audit_seals`,
  `set session_replication_role = replica; truncate core_audit.audit_seals`,
])('PostgreSQL rejects %s', async (statement) => {
  const database = openPool(fresh.url)
  await addEvents(database, 1, 1)
  await seal(database)
  await expect(runSql(fresh.url, statement)).rejects.toMatchObject({
    code: '42501',
    message: 'audit seals are append-only',
  })
})
