import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createIds, replaces } from '../../src/database/database-clock.ts'
import { openDatabase, openPool, refusalOf, shiftHostClock } from '../harness.ts'

const tenMinutesMs = 600_000

/** The host and the database share a machine, so their times differ only by the duration of a few statements. */
const toleratedMs = 5_000

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())
afterEach(() => vi.restoreAllMocks())

const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Asks the database for its time, and returns how far `clock` is ahead of it at least: 0 if the two can be equal. */
async function aheadMs(database: Database): Promise<number> {
  const before = database.clock.now()
  const [row] = await database.read((db) =>
    db.execute<{ ms: number }>(sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`),
  )
  const after = database.clock.now()
  const ms = row?.ms ?? Number.NaN
  if (before > ms) return before - ms
  return after < Math.floor(ms) ? after - Math.floor(ms) : 0
}

describe.each([
  ['ten minutes ahead', tenMinutesMs],
  ['ten minutes behind', -tenMinutesMs],
])('if the clock of the host is %s', (_case, shiftMs) => {
  test('the measured clock has the time of the database', async () => {
    shiftHostClock(shiftMs)
    const database = openPool(fresh.url)
    expect(Math.abs(database.clock.now() - Date.now())).toBeLessThan(toleratedMs)
    await database.clock.measure()
    expect(Math.abs(await aheadMs(database))).toBeLessThan(toleratedMs)
    expect(Math.abs((database.clock.hostAheadMs ?? 0) - shiftMs)).toBeLessThan(toleratedMs)
  })

  test('ids of the database, of its transactions and of their savepoints have the time of the database', async () => {
    shiftHostClock(shiftMs)
    const database = openPool(fresh.url)
    await database.clock.measure()
    const before = database.clock.now()
    const ids = [
      database.newId(),
      await database.transaction(async (tx) => tx.newId()),
      await database.transaction((tx) => tx.savepoint(async (inner) => inner.newId())),
      await database.statement(async (tx) => tx.newId()),
      await recordStatements()
        .observe(database)
        .statement(async (tx) => tx.newId()),
    ]
    expect(ids.toSorted()).toEqual(ids)
    const after = database.clock.now()
    for (const id of ids) {
      expect(timeOf(id)).toBeGreaterThanOrEqual(before)
      expect(timeOf(id)).toBeLessThanOrEqual(after)
    }
    expect(Math.abs(timeOf(newId()) - Date.now())).toBeLessThan(toleratedMs)
  })
})

test('a step of the host’s clock does not change the measured clock, and shows as a difference', async () => {
  const database = openPool(fresh.url)
  await database.clock.measure()
  const before = database.clock.now()
  shiftHostClock(-tenMinutesMs)
  expect(database.clock.now()).toBeGreaterThanOrEqual(before)
  expect(database.clock.now() - before).toBeLessThan(tenMinutesMs)
  expect(database.clock.hostAheadMs).toBeLessThan(-tenMinutesMs + toleratedMs)
})

test('two databases in one process have their own clocks', async () => {
  const [measured, other] = [openPool(fresh.url), openPool(fresh.url)]
  shiftHostClock(tenMinutesMs)
  await measured.clock.measure()
  expect(other.clock.hostAheadMs).toBeNull()
  expect(Math.abs(other.clock.now() - Date.now())).toBeLessThan(toleratedMs)
  expect(timeOf(other.newId()) - timeOf(measured.newId())).toBeGreaterThan(tenMinutesMs - toleratedMs)
})

test('a failed measurement keeps the time of the last one', async () => {
  const database = openPool(fresh.url)
  await database.clock.measure()
  await database.close()
  shiftHostClock(tenMinutesMs)
  expect(await refusalOf(database.clock.measure())).toBe('service.unavailable')
  expect(database.clock.hostAheadMs).toBeGreaterThan(tenMinutesMs - toleratedMs)
})

test.each([
  ['is more exact', { originMs: 0, errorMs: 1, atMs: 10_000 }, true],
  ['is less exact', { originMs: 5, errorMs: 40, atMs: 10_000 }, false],
  [
    'is less exact, but more exact than the current one has become',
    { originMs: 5, errorMs: 40, atMs: 60_000 },
    true,
  ],
  ['contradicts the current one', { originMs: 100, errorMs: 40, atMs: 10_000 }, true],
])('a measurement that %s replaces the current one: %j %s', (_case, next, isUsed) => {
  expect(replaces(next, { originMs: 0, errorMs: 2, atMs: 0 })).toBe(isUsed)
})

test('ids always ascend, however the clock moves', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 48 - 2 }), { minLength: 2 }), (times) => {
      let nowMs = 0
      const next = createIds({ now: () => nowMs })
      const ids = times.map((time) => {
        nowMs = time
        return next()
      })
      expect(ids.toSorted()).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})
