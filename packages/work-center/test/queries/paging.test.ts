import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Item, type ItemPage, type Priority, priorities, type Sort, sorts } from '../../src/contract.ts'
import { done, type InboxHost, openInboxHost, page, patient } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
})
afterAll(() => host.close())

/** Reads all items of a list, page by page. `onPage` runs concurrently with the read of each page. */
async function walk(
  request: TestRequest,
  query: string,
  limit: number,
  onPage: () => Promise<unknown> = async () => {},
): Promise<readonly Item[]> {
  const seen: Item[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`
    const [shown]: [ItemPage, unknown] = await Promise.all([
      page(request, `${query}&limit=${limit}${next}`),
      onPage(),
    ])
    expect(shown.items.length).toBeLessThanOrEqual(limit)
    expect(shown.items.length === limit || shown.nextCursor === null).toBe(true)
    seen.push(...shown.items)
    cursor = shown.nextCursor
  } while (cursor !== null)
  return seen
}

const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)

/** The values by which items are sorted, from the highest to the lowest. */
const keyOf: Record<Sort, (item: Item) => string> = {
  newest: ({ sortAtUtc }) => sortAtUtc,
  // No due date of these items is later than 2030.
  due: ({ dueAtUtc, sortAtUtc }) =>
    `${dueAtUtc === null ? 0 : Date.parse('2030-01-01') - Date.parse(dueAtUtc) + 1e13} ${sortAtUtc}`,
  priority: ({ priority, sortAtUtc }) => `${priorities.indexOf(priority as Priority) + 1} ${sortAtUtc}`,
}

/** Expects that each item appears once, and that the items are in order. */
function expectInOrder(items: readonly Item[], sort: Sort): void {
  expect(new Set(idsOf(items)).size).toBe(items.length)
  const keys = items.map(keyOf[sort])
  expect(keys).toEqual(keys.toSorted().toReversed())
}

test('items with the same sort time appear once each, in a stable order', async () => {
  const person = await addPerson(host, ['trade.clerk'])
  await host.database.statement((tx) =>
    tx.execute(sql`
      with n as (
        insert into work_center.notifications (
          id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, severity, expires_at
        )
        select gen_random_uuid(), 'trade.invoice_settled', ${person.userId} || n, 'SI', 'document',
          'trade.sales_invoice', gen_random_uuid(), 'SI', 'Success', ${farAhead}::timestamptz
        from generate_series(1, 40) n
        returning *
      )
      insert into work_center.entries (
        user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at
      )
      select ${person.userId}::uuid, id, 'Notification', 'document.trade.sales_invoice.view', resource_code, severity,
        expires_at, '2026-01-31T12:00:00.123456Z'
      from n`),
  )
  const all = idsOf((await page(person.request, 'limit=100')).items)
  expect(all).toHaveLength(40)
  expect(all).toEqual(all.toSorted().toReversed())
  for (const limit of [1, 7, 39, 40]) expect(idsOf(await walk(person.request, '', limit))).toEqual(all)
})

test('paging distinguishes sort times that differ by a microsecond', async () => {
  const person = await addPerson(host, ['trade.clerk'])
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const id = await addNotification(host.database, { to: [person.userId] })
    await host.database.statement((tx) =>
      tx.execute(sql`
        update work_center.entries
        set sort_at = '2026-01-31T12:00:00.000100Z'::timestamptz - ${`${n} microseconds`}::interval
        where item_id = ${id}::uuid`),
    )
    ids.push(id)
  }
  expect(idsOf(await walk(person.request, '', 1))).toEqual(ids)
})

type Deed = 'create' | 'notify' | 'read' | 'dismiss' | 'snooze' | 'claim' | 'close'

const deeds = fc.array(
  fc.record({
    deed: fc.constantFrom<Deed>('create', 'notify', 'read', 'dismiss', 'snooze', 'claim', 'close'),
    at: fc.nat(),
  }),
  { minLength: 1, maxLength: 30 },
)

/** Creates items before the walk. Some of them change during the walk, and the others stay unchanged. */
async function prepare(
  person: Person,
): Promise<{ untouched: readonly string[]; touched: readonly string[] }> {
  const untouched: string[] = []
  const touched: string[] = []
  for (let n = 0; n < 12; n += 1) {
    const into = n % 3 === 0 ? touched : untouched
    const dueAtUtc = n % 4 === 0 ? null : `202${n % 5}-01-01T00:00:00.000Z`
    into.push(await addTask(host.database, { dueAtUtc, priority: priorities[n % 4] ?? 'Low' }))
    into.push(await addNotification(host.database, { to: [person.userId] }))
  }
  return { untouched, touched }
}

test('reading all pages returns each unchanged item exactly once, despite concurrent writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      deeds,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('attention', 'tasks', 'notifications', 'completed'),
      fc.constantFrom(...sorts),
      async (script, limit, tab, sort) => {
        const person = await addPerson(host, ['trade.clerk'])
        const { untouched, touched } = await prepare(person)
        if (tab === 'completed') {
          for (const id of untouched) await closeTask(host.database, id)
        }
        const there = idsOf((await page(person.request, `tab=${tab}&sort=${sort}&limit=100`)).items)
        const steps = [...script]
        const play = async () => {
          const step = steps.shift()
          if (step === undefined) return
          const task = touched[2 * (step.at % (touched.length / 2))] ?? ''
          const notification = touched[1 + 2 * (step.at % (touched.length / 2))] ?? ''
          const { request, userId } = person
          const plays: Record<Deed, () => Promise<unknown>> = {
            create: () => addTask(host.database),
            notify: () => addNotification(host.database, { to: [userId] }),
            read: () => done(request, 'notifications', notification, 'read'),
            dismiss: () => done(request, 'notifications', notification, 'dismiss'),
            snooze: () =>
              request('POST', `/api/work-center/tasks/${task}/snooze`, {
                body: { snoozedUntilUtc: farAhead },
              }),
            claim: () =>
              request('POST', `/api/work-center/tasks/${task}/claim`, { body: { expectedVersion: 1 } }),
            close: () => closeTask(host.database, task),
          }
          await plays[step.deed]()
        }
        const seen = await walk(person.request, `tab=${tab}&sort=${sort}`, limit, play)
        expectInOrder(seen, sort)
        const stayed = there.filter((id) => untouched.includes(id))
        expect(idsOf(seen).filter((id) => untouched.includes(id))).toEqual(stayed)
        for (const id of touched.filter((_, index) => index % 2 === 0)) await closeTask(host.database, id)
      },
    ),
    { numRuns: 25 },
  )
}, 90_000)
