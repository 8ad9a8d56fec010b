import { auditTimeline, type NewAuditEvent, newId, recordAudit } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { openTestHost, type TestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAuditEvents } from '../../src/audit/queries/list-audit-events.ts'
import { listPartitions } from '../../src/audit/queries/list-partitions.ts'
import { writeCursor } from '../../src/http/paging.ts'
import { openDatabase } from '../harness.ts'
import { event } from './events.ts'

let fresh: FreshDatabase
let host: TestHost
let auditor: TestRequest
const businessObjects = createBusinessObjects([
  { kind: 'CatalogItem', typeCodes: ['trade.item'], isReadable: async () => true },
  { kind: 'Document', typeCodes: ['trade.sales_invoice'], isReadable: async () => true },
])

beforeAll(async () => {
  fresh = await openDatabase()
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [
      auditTimeline({
        database,
        businessObjects,
        modules: [{ name: 'things', auditSource: { module: 'things', isVisibleTo: () => true } }],
      }),
    ],
  })
  auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
})
afterAll(async () => {
  await host.close()
  await fresh.drop()
})

const invoice = (id: string) => ({ kind: 'Document', typeCode: 'trade.sales_invoice', id }) as const

const ask = (target: NewAuditEvent['target'], more: Readonly<Record<string, string>>) => {
  const { kind, typeCode, id } = target
  return auditor('GET', `/api/audit/events?${new URLSearchParams({ kind, typeCode, objectId: id, ...more })}`)
}

async function page(target: NewAuditEvent['target'], limit: number, cursor: string | null) {
  const response = await ask(target, { limit: String(limit), ...(cursor === null ? {} : { cursor }) })
  expect(response.status).toBe(200)
  return (await response.json()) as AuditEventPage
}

const record = (...events: readonly NewAuditEvent[]) =>
  host.database.transaction((tx) => recordAudit(tx, ...events))

/** Reads all pages and returns the action codes, newest first. Runs `beside` in parallel with each request. */
async function walk(
  target: NewAuditEvent['target'],
  limit: number,
  beside: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const shown: AuditEventPage = (await Promise.all([page(target, limit, cursor), beside()]))[0]
    expect(shown.items.length).toBeLessThanOrEqual(limit)
    seen.push(...shown.items.map(({ actionCode }) => actionCode))
    cursor = shown.nextCursor
  } while (cursor !== null)
  return seen
}

const numbered = (target: NewAuditEvent['target'], count: number) =>
  Array.from({ length: count }, (_, index) => event({ target, actionCode: `e${index}` }))

const newestFirst = (count: number) => Array.from({ length: count }, (_, index) => `e${count - 1 - index}`)

test.each([1, 37, 100])('pages of %d events return every event exactly once', async (limit) => {
  const target = invoice(newId())
  const count = limit === 1 ? 25 : 321
  await record(...numbered(target, count))
  expect(await walk(target, limit)).toEqual(newestFirst(count))
})

test('earlier events appear exactly once, even if new events are written between two pages', async () => {
  const target = invoice(newId())
  await record(...numbered(target, 321))
  const seen = await walk(target, 10, () =>
    record(event({ target, actionCode: 'new' }), event({ target, actionCode: 'new' })),
  )
  expect(seen.filter((code) => code !== 'new')).toEqual(newestFirst(321))
  // New events appear only if they were written before the first page was read.
  expect(seen.length).toBeLessThanOrEqual(321 + 2)
})

test('the last page has no next cursor', async () => {
  const target = invoice(newId())
  await record(...numbered(target, 10))
  expect((await page(target, 10, null)).nextCursor).toBeNull()
  expect((await page(target, 9, null)).nextCursor).not.toBeNull()
})

test('a late page of a long history reads only its own rows and one more row', async () => {
  const target = invoice(newId())
  await host.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (module, target_kind, target_type_code, target_id, action_code)
      select 'things', 'Document', 'trade.sales_invoice',
        case when n % 2 = 0 then ${target.id}::uuid else gen_random_uuid() end, 'e' || n
      from generate_series(1, 20000) as n`),
  )
  await host.database.statement((tx) => tx.execute(sql`analyze core_audit.audit_events`))
  const options = { target, modules: ['things'], limit: 50 }
  const list = async (db: Db, at: string | null) =>
    listAuditEvents(db, await listPartitions(db), { ...options, cursor: at })
  let cursor: string | null = null
  for (let pages = 0; pages < 20; pages += 1) {
    cursor = (await host.database.read((db) => list(db, cursor))).nextCursor
  }
  const [before, after] = await host.database.transaction(async (tx) => {
    const readSoFar = async () => {
      const [row] = await tx.execute<{ scanned: number; fetched: number }>(sql`
        select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as fetched
        from pg_stat_xact_user_tables where relname like 'audit_events%'`)
      return row ?? { scanned: 0, fetched: 0 }
    }
    const start = await readSoFar()
    await list(tx, cursor)
    return [start, await readSoFar()]
  })
  expect(after.scanned - before.scanned).toBe(0)
  expect(after.fetched - before.fetched).toBe(options.limit + 1)
})

describe('a cursor', () => {
  const refused = {
    code: 'request.invalid',
    errors: [{ path: 'cursor', message: 'is not a cursor of this list; start again without one' }],
  }

  async function cursorOf(target: NewAuditEvent['target']): Promise<string> {
    await record(...numbered(target, 2))
    return (await page(target, 1, null)).nextCursor ?? ''
  }

  test('of another object, type or kind is rejected', async () => {
    const id = newId()
    const cursor = await cursorOf(invoice(id))
    for (const target of [invoice(newId()), { kind: 'CatalogItem', typeCode: 'trade.item', id }]) {
      const response = await ask(target, { cursor })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject(refused)
    }
  })

  test('that the client changed is rejected', async () => {
    const target = invoice(newId())
    const cursor = await cursorOf(target)
    const changed = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [changed, cursor.slice(1), `${cursor}A`, 'x', newId()]) {
      const response = await ask(target, { cursor: wrong })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject(refused)
    }
  })

  test('with a valid digest but an invalid position is rejected before the query', async () => {
    const target = invoice(newId())
    const list = `audit/${target.kind}/${target.typeCode}/${target.id}`
    const id = newId()
    const positions = [['yesterday'], ['x'], [`${id}\0`], [`${id}' or true --`], []]
    for (const position of positions) {
      const response = await ask(target, { cursor: writeCursor(list, position) })
      expect(response.status).toBe(400)
    }
    expect((await ask(target, { cursor: writeCursor(list, [id.toUpperCase()]) })).status).toBe(200)
    expect(host.logLines.filter((line) => line.includes('"error"'))).toEqual([])
  })
})
