import { createAuditSealing } from '@vertical-kit/core-audit/audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool } from '../../harness.ts'
import { addEvents, config, seal } from './sealed-log.ts'

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  database = openPool(fresh.url)
})

const check = (overrides: Partial<typeof config> = {}) => {
  const { health = [] } = createAuditSealing({ database, config: { ...config, ...overrides } })
  expect(health.map(({ name }) => name)).toEqual(['auditSeals'])
  return health[0]?.check(new AbortController().signal)
}

test('the health is Healthy without events, and after all events were sealed', async () => {
  expect(await check()).toEqual({ status: 'Healthy', oldestPendingAgeSeconds: null })
  await addEvents(database, 1, 2)
  await seal(database)
  expect(await check()).toEqual({ status: 'Healthy', oldestPendingAgeSeconds: null })
})

test('the health is Degraded while an event waits for its seal for too long', async () => {
  await addEvents(database, 1, 2)
  const result = await check()
  expect(result).toEqual({
    status: 'Degraded',
    detail: expect.stringContaining('Audit events wait for their seal.'),
    oldestPendingAgeSeconds: expect.any(Number),
  })
  const ageMs = (result?.oldestPendingAgeSeconds ?? 0) * 1_000
  expect(ageMs).toBeGreaterThan(0)
  expect(await check({ delayMs: 2 * ageMs })).toMatchObject({ status: 'Healthy' })
})

test('the health is Degraded while events have ids of a later time', async () => {
  await addEvents(database, 1, 2)
  await seal(database)
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
      values (core_audit.first_event_id(now() + interval '1 hour'), 'things', 'Document', 'order', gen_random_uuid(), 'post')`),
  )
  expect(await check()).toEqual({
    status: 'Degraded',
    detail: expect.stringContaining('The clock of the database was ahead.'),
  })
})

test('the health is Degraded while the clock of the database is behind the newest seal', async () => {
  await addEvents(database, 1, 1)
  await seal(database)
  const farAway = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_seals
      select 2, ${farAway}::uuid, ${farAway}::uuid, event_count, events_hash, event_marks, sealed_at, hash
      from core_audit.audit_seals`),
  )
  expect(await check()).toEqual({
    status: 'Degraded',
    detail: expect.stringContaining('The clock of the database is behind the newest sealed audit event.'),
  })
})
