import { createDatabase, type Database, type Db, databaseDefaults } from '@vertical-kit/core-audit/database'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditPartition, listPartitions } from '../../src/audit/queries/list-partitions.ts'
import { type EventFilters, searchAuditEvents } from '../../src/audit/queries/search-audit-events.ts'
import { mostPages, mostRead } from '../explain.ts'
import { openDatabase } from '../harness.ts'

const orderCount = 30_000
const lettersCount = 3
const limit = 31

let fresh: FreshDatabase
let database: Database
let partitions: readonly AuditPartition[]
/** The time of the newest event. The events before have one second between them. */
const newestMs = Date.now()
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  const idOf = sql`(
    lpad(to_hex(${newestMs}::bigint - n * 1000), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0')
  )::uuid`
  const insert = (rows: SQL) =>
    database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.audit_events (
          id, module, target_kind, target_type_code, target_id, action_code, occurred_at
        )
        ${rows}`),
    )
  const at = sql`to_timestamp((${newestMs}::bigint - n * 1000) / 1000.0)`
  await insert(sql`
    select ${idOf}, 'trade', 'Document', 'trade.order', gen_random_uuid(), 'post', ${at}
    from generate_series(0, ${orderCount - 1}::int) n`)
  // The oldest events are those of dead letters.
  await insert(sql`
    select ${idOf}, 'core-audit', 'OutboxEvent', 'trade.posted', gen_random_uuid(), 'outbox.retried', ${at}
    from generate_series(${orderCount}::int, ${orderCount + lettersCount - 1}::int) n`)
  await database.statement((tx) => tx.execute(sql`vacuum analyze core_audit.audit_events`))
  partitions = await database.read(listPartitions)
}, 60_000)
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const search = (db: Db, filters: EventFilters, typeCode = 'trade.order') =>
  searchAuditEvents(db, partitions, {
    ...{ filters, before: null, limit, modules: ['trade'] },
    types: [{ kind: 'Document', typeCode }],
  })

/** Runs a search, and returns how many events it found, how many statements it sent, and the most rows and pages that they read. */
async function measure(filters: EventFilters, typeCode?: string) {
  const { statements: sent, observe } = recordStatements()
  const found = await observe(database).read((db) => search(db, filters, typeCode))
  const [counts, pages]: [number[], number[]] = [[], []]
  for (const statement of sent) {
    counts.push(await mostRead(database, statement))
    pages.push(await mostPages(database, statement))
  }
  return {
    ...{ foundCount: found.events.length, sentCount: sent.length },
    ...{ readCount: Math.max(0, ...counts), pageCount: Math.max(0, ...pages) },
  }
}

const secondsBefore = (seconds: number) => new Date(newestMs - seconds * 1_000).toISOString()

test('events of dead letters are found without a scan of all events', async () => {
  const { foundCount, readCount } = await measure({ typeCode: 'outbox.event' })
  expect(foundCount).toBe(lettersCount)
  expect(readCount).toBeLessThanOrEqual(limit)
})

test.each<EventFilters>([{ typeCode: 'trade.order' }, { actionCode: 'post' }])(
  'a search with %o ends at the start of its range',
  async (filter) => {
    const range = { fromUtc: secondsBefore(104.5), untilUtc: secondsBefore(99.5) }
    const { foundCount, readCount, pageCount } = await measure({ ...filter, ...range })
    expect(foundCount).toBe(5)
    // Ids are not exact, so up to two events on each side of the range are read.
    expect(readCount).toBeLessThanOrEqual(limit + 4)
    // The older entries of the index need about 150 pages.
    expect(pageCount).toBeLessThanOrEqual(40)
  },
)

test('a search for a type without visible events reads none', async () => {
  expect(await measure({ typeCode: 'trade.order' }, 'trade.invoice')).toEqual({
    ...{ foundCount: 0, sentCount: 0, readCount: 0, pageCount: 0 },
  })
})
