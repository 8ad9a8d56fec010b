import { newId } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, describe, expect, test } from 'vitest'
import { runSql } from '../harness.ts'
import { event } from './events.ts'
import {
  customerType,
  type NamedHost,
  openNamedHost,
  orderOf,
  orderType,
  pageAt,
  readsAll,
} from './named-host.ts'

let host: NamedHost
let auditor: TestRequest
let open: ReturnType<typeof orderOf>
let secret: ReturnType<typeof orderOf>
beforeAll(async () => {
  host = await openNamedHost()
  auditor = await host.as({ subject: 'auditor', permissions: readsAll })
  open = orderOf(await host.addObject(orderType, 'Order 1'))
  secret = orderOf(await host.addObject(orderType, 'Secret order'))
  return () => host.close()
})

type Query = Readonly<Record<string, string>>

const search = (query: Query) => pageAt(auditor, '/api/audit/search', query)

/** Returns what a client can read in a cursor: it begins with a digest of 8 bytes. */
const contentOf = (cursor: string | null) =>
  Buffer.from(cursor ?? '', 'base64url')
    .subarray(8)
    .toString()

/** Records events from oldest to newest: those of the visible order have a number, `null` is a hidden event. */
async function record(actorUserId: string, ...entries: readonly (number | null)[]): Promise<void> {
  for (let start = 0; start < entries.length; start += 100) {
    await host.record(
      ...entries.slice(start, start + 100).map((number) =>
        event({
          actorUserId,
          target: number === null ? secret : open,
          metadata: { number },
        }),
      ),
    )
  }
}

const hidden = (count: number) => Array.from({ length: count }, () => null)

async function idsOf(actorUserId: string, objectId: string): Promise<readonly string[]> {
  const rows = await host.database.read((db) =>
    db.execute<{ id: string }>(sql`
      select id from core_audit.audit_events
      where actor_user_id = ${actorUserId}::uuid and target_id = ${objectId}::uuid`),
  )
  return rows.map(({ id }) => id)
}

/** Reads all pages of a search. Checks that no page has a hidden event's id, and that each needs few statements. */
async function readAll(
  actor: string,
  limit: number,
  filters: Query = {},
): Promise<readonly AuditEventPage[]> {
  const ofHidden = await idsOf(actor, secret.id)
  const pages: AuditEventPage[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    host.statements.reset()
    const page: AuditEventPage = await search({
      ...{ actor, limit: String(limit), ...filters },
      ...(cursor === '' ? {} : { cursor }),
    })
    // Five reads with the objects of their events, and the names of the page.
    expect(host.statements.count).toBeLessThanOrEqual(5 * 2 + 3)
    const text = `${JSON.stringify(page)} ${contentOf(page.nextCursor)}`
    expect(ofHidden.filter((id) => text.includes(id))).toEqual([])
    pages.push(page)
    expect(pages.length).toBeLessThan(100)
    cursor = page.nextCursor
  }
  return pages
}

const numbersOf = (pages: readonly AuditEventPage[]) =>
  pages.flatMap(({ items }) => items.map(({ metadata }) => metadata?.['number']))

describe('a search', () => {
  test('contains neither the names nor the ids of hidden events', async () => {
    const actionCode = `code-${newId()}`
    await host.as({ subject: 'hidden-actor', name: 'Hilda', permissions: [] })
    const hilda = await host.userId('hidden-actor')
    const customer = await host.addObject(customerType, 'Adler & Co')
    const visible = event({ target: open, actionCode })
    const secretChange = event({
      ...{ target: secret, actionCode, actorUserId: hilda },
      changes: [{ fieldPath: 'fields.customerId', oldValue: null, newValue: customer }],
      metadata: { approverId: hilda },
    })
    await host.record(visible, secretChange, visible, secretChange)
    const { items: all } = await search({ actionCode })
    expect(all).toHaveLength(2)
    const ofHidden = await idsOf(hilda, secret.id)
    expect(ofHidden).toHaveLength(2)

    for (const limit of ['1', '2', '3', '4', '100']) {
      const page = await search({ actionCode, limit })
      const text = `${JSON.stringify(page)} ${contentOf(page.nextCursor)}`
      for (const part of ['Hilda', hilda, 'Adler', customer, ...ofHidden]) expect(text).not.toContain(part)
      expect(page.items).toEqual(all.slice(0, Number(limit)))
      expect(page.references).toEqual({ [open.id]: expect.objectContaining({ display: 'Order 1' }) })
    }
    const { nextCursor } = await search({ actionCode, limit: '1' })
    expect(contentOf(nextCursor)).toBe(JSON.stringify([all[0]?.id]))
    const second = await search({ actionCode, limit: '1', cursor: nextCursor ?? '' })
    expect(second).toMatchObject({ items: [all[1]], nextCursor: null })
  })

  test('fills its pages, and does not announce a page that would have only hidden events', async () => {
    const actor = newId()
    await record(actor, ...hidden(30), 1, ...hidden(30), 2, 3, ...hidden(30), 4)
    const pages = await readAll(actor, 2)
    expect(pages.map((page) => numbersOf([page]))).toEqual([
      [4, 3],
      [2, 1],
    ])
    expect(numbersOf(await readAll(actor, 4))).toEqual([4, 3, 2, 1])
  })

  test.each([1, 3, 100])(
    'with pages of %i shows every event once, through long hidden runs',
    async (limit) => {
      const actor = newId()
      await record(actor, ...hidden(700), 1, 2, ...hidden(1_200), 3, ...hidden(450), 4, 5, ...hidden(600))
      const pages = await readAll(actor, limit)
      expect(numbersOf(pages)).toEqual([5, 4, 3, 2, 1])
      // The newest run is longer than one request reads.
      expect(pages[0]).toMatchObject({ items: [], references: {}, nextCursor: expect.any(String) })
    },
  )

  test('continues after a page that its reads do not fill', async () => {
    const actor = newId()
    await record(actor, ...[1, 2, 3, 4, 5, 6].flatMap((number) => [...hidden(150), number]))
    const pages = await readAll(actor, 50)
    expect(numbersOf(pages)).toEqual([6, 5, 4, 3, 2, 1])
    expect(pages[0]?.items).toHaveLength(3)
  })

  test('of only hidden events ends', async () => {
    const actor = newId()
    await record(actor, ...hidden(1_000))
    const pages = await readAll(actor, 50)
    expect(numbersOf(pages)).toEqual([])
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.length).toBeLessThan(10)
  })

  test('finds an event behind 110,000 others that its filters exclude', async () => {
    const [actor, actionCode] = [newId(), newId()]
    const recordOne = (number: number) =>
      host.record(event({ actorUserId: actor, target: open, actionCode, metadata: { number } }))
    await recordOne(1)
    await runSql(
      host.url,
      `insert into core_audit.audit_events (
         module, target_kind, target_type_code, target_id, action_code, actor_user_id
       )
       select 'things', 'Document', '${orderType}', '${secret.id}', 'another', '${actor}'
       from generate_series(1, 110000)`,
    )
    await recordOne(2)
    const pages = await readAll(actor, 1, { actionCode })
    expect(numbersOf(pages)).toEqual([2, 1])
    // The second request does not reach the older event.
    expect(pages[1]).toMatchObject({ items: [], nextCursor: expect.any(String) })
    expect(pages.length).toBeLessThan(6)
  })

  test('without hidden events needs one read, and one search for objects and names', async () => {
    const actor = await host.userId('auditor')
    const customer = await host.addObject(customerType, 'Adler & Co')
    const changes = [{ fieldPath: 'fields.customerId', oldValue: null, newValue: customer }]
    for (let count = 0; count < 5; count += 1) {
      await host.record(event({ target: open, actorUserId: actor, changes, metadata: { approverId: actor } }))
    }
    for (const limit of [1, 4, 5, 100]) {
      host.statements.reset()
      const page = await search({ actor, limit: String(limit) })
      expect(page.items).toHaveLength(Math.min(limit, 5))
      // The events, the orders, the customers and the users.
      expect(host.statements.count).toBe(4)
    }
  })
})
