import { newId } from '@vertical-kit/core-audit'
import { createDatabase, type Database, type Db, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { type SQL, sql } from 'drizzle-orm/sql'
import { beforeAll, expect, test } from 'vitest'
import { partitionRanges } from '../../src/audit/policy.ts'
import { listAuditEvents } from '../../src/audit/queries/list-audit-events.ts'
import { type AuditPartition, listPartitions } from '../../src/audit/queries/list-partitions.ts'
import type { StoredAuditEvent } from '../../src/audit/queries/read-events.ts'
import { type EventFilters, searchAuditEvents } from '../../src/audit/queries/search-audit-events.ts'
import { openDatabase, runSql } from '../harness.ts'
import { createYears, fillYears } from './years.ts'

let fresh: FreshDatabase
let database: Database
let partitions: readonly AuditPartition[]
const [lastYear, firstYear] = [new Date().getUTCFullYear(), new Date().getUTCFullYear() - 27]

beforeAll(async () => {
  fresh = await openDatabase()
  await createYears(fresh.url, firstYear, lastYear)
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  partitions = await database.read(listPartitions)
  expect(partitions).toHaveLength(30)
  return async () => {
    await database.close()
    await fresh.drop()
  }
})

const target = (id: string) => ({ kind: 'Document', typeCode: 'order', id })

/** Runs each statement in its own transaction, and counts the partitions that it locks. */
function countingDb(lockedCounts: number[]): Db {
  return {
    execute: <Row extends Record<string, unknown>>(statement: SQL) =>
      database.transaction(async (tx) => {
        const rows = await tx.execute<Row>(statement)
        const locked = await tx.execute(sql`
          select from pg_locks join pg_class c on c.oid = relation
          where pid = pg_backend_pid() and c.relkind = 'r' and c.relname like 'audit_events_%'`)
        lockedCounts.push(locked.length)
        return rows
      }),
  }
}

async function walk(id: string, limit: number) {
  const lockedCounts: number[] = []
  const events: StoredAuditEvent[] = []
  const statementCounts: number[] = []
  let cursor: string | null = null
  do {
    const before = lockedCounts.length
    const query = { target: target(id), modules: ['things'], limit, cursor }
    const page = await listAuditEvents(countingDb(lockedCounts), partitions, query)
    events.push(...page.items)
    statementCounts.push(lockedCounts.length - before)
    cursor = page.nextCursor
  } while (cursor !== null)
  return { years: events.map(({ metadata }) => metadata?.['year']), lockedCounts, statementCounts }
}

test('a full page of the newest events locks at most four partitions, also with a cached plan', async () => {
  const id = newId()
  await fillYears(fresh.url, { id, first: lastYear, last: lastYear, count: 60 })
  const { years, lockedCounts } = await walk(id, 5)
  expect(years).toHaveLength(60)
  expect(lockedCounts).toHaveLength(11 + 28 / 4)
  expect(Math.max(...lockedCounts)).toBe(4)
})

test('pages of a long life contain every event once, and no statement locks more than four partitions', async () => {
  const id = newId()
  await fillYears(fresh.url, { id, first: firstYear, last: lastYear, count: 3 })
  const { years, lockedCounts, statementCounts } = await walk(id, 7)
  expect(years).toEqual(Array.from({ length: 28 * 3 }, (_, index) => lastYear - Math.floor(index / 3)))
  expect(Math.max(...lockedCounts)).toBe(4)
  expect(Math.max(...statementCounts)).toBeLessThanOrEqual(3)
})

test('an object without events is searched in every partition, four at a time', async () => {
  const { years, lockedCounts } = await walk(newId(), 50)
  expect(years).toEqual([])
  expect(lockedCounts).toHaveLength(Math.ceil(partitions.length / 4))
  expect(Math.max(...lockedCounts)).toBe(4)
})

test('a list finds events in a partition that was created after the partitions were read', async () => {
  const id = newId()
  await fillYears(fresh.url, { id, first: lastYear + 1, last: lastYear + 2, count: 1 })
  const query = { target: target(id), modules: ['things'], limit: 5, cursor: null }
  const page = await database.read((db) => listAuditEvents(db, partitions.slice(2), query))
  expect(page.items).toHaveLength(2)
})

test('the ranges of a cursor begin with the partition of its event', () => {
  const named = (name: string, firstId: string | null, endId: string) => ({ name, firstId, endId })
  const three = [named('c', 'c', 'd'), named('b', 'b', 'c'), named('a', null, 'b')]
  const [c, b, a] = [
    { firstId: 'c', endId: null },
    { firstId: 'b', endId: 'c' },
    { firstId: null, endId: 'b' },
  ]
  expect(partitionRanges(three, null)).toEqual([c, b, a])
  expect(partitionRanges(three, 'cc')).toEqual([c, b, a])
  expect(partitionRanges(three, 'c')).toEqual([b, a])
  expect(partitionRanges(three, 'aa')).toEqual([a])
  expect(partitionRanges(three.slice(0, 2), 'b')).toEqual([])
  expect(partitionRanges([], null)).toEqual([])
})

test('the ranges have no gaps, so they contain a partition that was created between two others', () => {
  const later = [
    { name: 'd', firstId: 'd', endId: 'e' },
    { name: 'a', firstId: 'a', endId: 'b' },
  ]
  expect(partitionRanges(later, null)).toEqual([
    { firstId: 'd', endId: null },
    { firstId: 'a', endId: 'd' },
  ])
})

type Page = { readonly items: readonly StoredAuditEvent[]; readonly nextCursor: string | null }

/** Returns how many rows of the audit log a page reads, by a scan and by an index, and the page. */
const rowsRead = <P extends Page>(planCacheMode: string, read: (db: Db) => Promise<P>) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`select set_config('plan_cache_mode', ${planCacheMode}, true)`)
    const before = await rowsSoFar(tx)
    const page = await read(tx)
    const after = await rowsSoFar(tx)
    const [scanned, fetched] = [after.scanned - before.scanned, after.fetched - before.fetched]
    return { scanned, fetched, ...page }
  })

const rowsOf = (id: string, cursor: string | null, planCacheMode: string) =>
  rowsRead(planCacheMode, (db) =>
    listAuditEvents(db, partitions, { target: target(id), modules: ['things'], limit: 50, cursor }),
  )

const rowsOfSearch = (filters: EventFilters, before: string | null, planCacheMode: string) =>
  rowsRead(planCacheMode, async (db) => {
    const { events } = await searchIn(db, filters, before)
    return { items: events, nextCursor: events[49]?.id ?? null }
  })

const searchIn = (db: Db, filters: EventFilters, before: string | null, modules = ['things']) =>
  searchAuditEvents(db, partitions, {
    ...{ filters, modules, limit: 50, before },
    types: ['order', 'rare'].map((typeCode) => ({ kind: 'Document' as const, typeCode })),
  })

async function rowsSoFar(db: Db) {
  const [row] = await db.execute<{ scanned: number; fetched: number }>(sql`
    select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as fetched
    from pg_stat_xact_user_tables where relname like 'audit_events%'`)
  return row ?? { scanned: 0, fetched: 0 }
}

test('a page of 1,000,000 events reads only its rows, with each kind of plan', async () => {
  const [large, none] = [newId(), newId()]
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
     select overlay(first::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 'things', 'Document', 'order',
       -- One object has every tenth event, and each other one has one.
       case when n % 10 = 0 then '${large}' else overlay('${large}' placing lpad(to_hex(n), 12, '0') from 25)::uuid end, 'a'
     from generate_series(1, 1000000) n
     cross join core_audit.first_event_id(make_timestamptz(${lastYear}, 1, 2, 0, 0, 0, 'UTC')) first;
     analyze core_audit.audit_events`,
  )
  for (const planCacheMode of ['force_custom_plan', 'force_generic_plan']) {
    const first = await rowsOf(large, null, planCacheMode)
    const second = await rowsOf(large, first.nextCursor, planCacheMode)
    // 51, and the rows of the other tests: not the 100,000 of the object.
    for (const { scanned, fetched } of [first, second, await rowsOf(none, null, planCacheMode)]) {
      expect(scanned + fetched).toBeLessThan(1_000)
    }
  }
})

test('a page of a search in 1,000,000 events reads few rows with each filter, with each kind of plan', async () => {
  const rare = newId()
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (
       id, module, target_kind, target_type_code, target_id, action_code, actor_user_id
     )
     select overlay(first::text placing '8001-' || lpad(to_hex(n * 100000), 12, '0') from 20)::uuid, 'things', 'Document',
       'rare', '${newId()}', 'rare', '${rare}'
     from generate_series(1, 10) n
     cross join core_audit.first_event_id(make_timestamptz(${lastYear}, 1, 2, 0, 0, 0, 'UTC')) first;
     analyze core_audit.audit_events`,
  )
  const year = (month: number) => new Date(Date.UTC(lastYear, month)).toISOString()
  const found: readonly (readonly [EventFilters, number])[] = [
    [{}, 50],
    [{ actionCode: 'a' }, 50],
    [{ typeCode: 'order' }, 50],
    [{ actionCode: 'rare' }, 10],
    [{ typeCode: 'rare' }, 10],
    [{ actor: rare }, 10],
    [{ actor: rare, actionCode: 'a' }, 0],
    [{ actor: newId() }, 0],
    [{ actionCode: 'none' }, 0],
    [{ typeCode: 'none' }, 0],
    [{ fromUtc: year(1), untilUtc: year(2) }, 0],
  ]
  for (const planCacheMode of ['force_custom_plan', 'force_generic_plan']) {
    for (const [filters, count] of found) {
      const first = await rowsOfSearch(filters, null, planCacheMode)
      expect(first.items).toHaveLength(count)
      const pages = [first]
      if (first.nextCursor !== null) pages.push(await rowsOfSearch(filters, first.nextCursor, planCacheMode))
      for (const { scanned, fetched } of pages)
        expect(scanned + fetched, JSON.stringify(filters)).toBeLessThan(1_000)
    }
  }
})

test('a search in 1,000,000 events of a hidden module examines 20,000 at a time, and continues before them', async () => {
  const actor = newId()
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (
       id, module, target_kind, target_type_code, target_id, action_code, actor_user_id
     )
     select first, 'others', 'Document', 'order', '${newId()}', 'a', '${actor}'
     from core_audit.first_event_id(make_timestamptz(${lastYear}, 1, 2, 0, 0, 0, 'UTC')) first`,
  )
  const found: (string | undefined)[] = []
  for (let before: string | null = null, isEnd = false, count = 1; !isEnd; count += 1) {
    const start: string | null = before
    const read = await rowsRead('force_generic_plan', async (db) => {
      const { events: items, newestId, oldestId, isEnd } = await searchIn(db, {}, start, ['others'])
      return { items, nextCursor: oldestId, newestId, isEnd }
    })
    expect(read.scanned + read.fetched).toBeLessThan(21_000)
    if (!read.isEnd) {
      expect((read.newestId ?? '') > (read.nextCursor ?? '')).toBe(true)
      expect(start === null || (read.newestId ?? '') < start).toBe(true)
    }
    found.push(...read.items.map(({ actor }) => actor?.userId))
    ;({ nextCursor: before, isEnd } = read)
    expect(count).toBeLessThan(55)
  }
  expect(found).toEqual([actor])
})
