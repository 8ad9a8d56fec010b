import { writeCursor } from '@vertical-kit/core-audit/http'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Priority, priorities, type Sort, sorts, tabs } from '../../src/contract.ts'
import { toFilters } from '../../src/queries/entry-filters.ts'
import { listName } from '../../src/queries/list-items.ts'
import { approve, collectPayment } from '../definitions.ts'
import { type InboxHost, idsOf, openInboxHost, page, refusalOf } from '../harness.ts'
import { addNotification, addTask, closeTask, sourceOf } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
  clerk = await addPerson(host, ['trade.clerk'])
  for (let n = 0; n < 24; n += 1) {
    const id = await addTask(host.database, {
      definition: n % 2 === 0 ? collectPayment : approve,
      title: `Task ${n} ${n % 5 === 0 ? 'of 100% ÄRGER_x' : 'of 100 argerx'}`,
      assignedTo: { userId: clerk.userId },
      priority: priorities[n % 4] ?? 'Low',
      dueAtUtc: n % 3 === 0 ? null : `202${n % 7}-0${(n % 5) + 1}-01T00:00:00.00${n % 2}Z`,
      source: {
        ...sourceOf(n % 4 === 0 ? 'trade.sales_order' : 'trade.sales_invoice'),
        subtitle: `Buyer ${n}`,
      },
    })
    if (n % 4 === 3) await closeTask(host.database, id)
    await addNotification(host.database, { to: [clerk.userId] })
  }
})
afterAll(() => host.close())

const rankOf: Record<Sort, (item: { dueAtUtc: string | null; priority: string | null }) => number> = {
  newest: () => 0,
  due: ({ dueAtUtc }) => (dueAtUtc === null ? Number.POSITIVE_INFINITY : Date.parse(dueAtUtc)),
  priority: ({ priority }) => -priorities.indexOf(priority as Priority),
}

describe.each(tabs)('the tab %s', (tab) => {
  test.each(sorts)('sorted by %s has all items, and equal ones from newest to oldest', async (sort) => {
    const newest = (await page(clerk.request, `tab=${tab}&limit=100`)).items
    expect(newest.length).toBeGreaterThan(5)
    const sorted = newest.toSorted((one, other) => {
      const [a, b] = [rankOf[sort](one), rankOf[sort](other)]
      return a === b ? 0 : a - b
    })
    expect((await page(clerk.request, `tab=${tab}&sort=${sort}&limit=100`)).items).toEqual(sorted)
    for (const limit of [1, 4]) {
      const walked: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const next = await page(
          clerk.request,
          `tab=${tab}&sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
        )
        walked.push(...next.items.map(({ id }) => id))
        cursor = next.nextCursor
      }
      expect(walked).toEqual(sorted.map(({ id }) => id))
    }
  })
})

test('an order keeps a due date to the microsecond', async () => {
  const person = await addPerson(host, ['trade.clerk'])
  const ids: string[] = []
  for (let n = 0; n < 4; n += 1) {
    const id = await addTask(host.database, { assignedTo: { userId: person.userId } })
    await host.database.statement((tx) =>
      tx.execute(sql`
        update work_center.entries
        set due_at = '2026-01-31T12:00:00.000100Z'::timestamptz + ${`${n} microseconds`}::interval
        where item_id = ${id}::uuid`),
    )
    ids.push(id)
  }
  const first = await page(person.request, 'sort=due&limit=2')
  const second = await page(person.request, `sort=due&limit=2&cursor=${first.nextCursor}`)
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
})

const titles = async (query: string) =>
  (await page(clerk.request, `tab=tasks&limit=100&${query}`)).items.map(({ title }) => title)

describe('a search', () => {
  test.each([
    ['task 5 ', ['Task 5 of 100% ÄRGER_x']],
    ['BUYER 13', ['Task 13 of 100 argerx']],
    [
      '100% ärger_X',
      [
        'Task 20 of 100% ÄRGER_x',
        'Task 10 of 100% ÄRGER_x',
        'Task 5 of 100% ÄRGER_x',
        'Task 0 of 100% ÄRGER_x',
      ],
    ],
    ['100_', []],
    [
      '%',
      [
        'Task 20 of 100% ÄRGER_x',
        'Task 10 of 100% ÄRGER_x',
        'Task 5 of 100% ÄRGER_x',
        'Task 0 of 100% ÄRGER_x',
      ],
    ],
    ['\\', []],
    ["'; drop table", []],
    ['.', []],
    ['[a-z]', []],
    ['(?i)task', []],
    ['***=', []],
    ['{1', []],
    ['^Task', []],
  ])('for %j finds items whose title or source contains this text', async (q, found) => {
    expect(await titles(`q=${encodeURIComponent(q)}`)).toEqual(found)
  })

  test('finds notifications, too', async () => {
    expect(await idsOf(clerk.request, 'tab=notifications&q=IS%20SETTLED&limit=100')).toHaveLength(24)
  })

  test('counts code points: 200 are accepted, and 201 are refused', async () => {
    const ask = (count: number) =>
      clerk.request('GET', `/api/work-center/items?q=${encodeURIComponent('😀'.repeat(count))}`)
    expect((await ask(200)).status).toBe(200)
    expect(await refusalOf(await ask(201))).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'q' }],
    })
    expect((await clerk.request('GET', '/api/work-center/items?q=%00')).status).toBe(400)
  })
})

test('the definition and the source select items, and combine with an order and a search', async () => {
  const all = (await page(clerk.request, 'tab=tasks&limit=100')).items
  const wanted = all.filter((item) => item.code === approve.code)
  expect(wanted).not.toHaveLength(0)
  expect((await page(clerk.request, `tab=tasks&limit=100&definition=${approve.code}`)).items).toEqual(wanted)
  const orders = all.filter((item) => item.source.resourceCode === 'trade.sales_order')
  expect((await page(clerk.request, 'tab=tasks&limit=100&source=trade.sales_order')).items).toEqual(orders)
  const query = 'tab=tasks&limit=100&sort=priority&source=trade.sales_order&q=ärger'
  expect((await page(clerk.request, query)).items.map(({ title }) => title)).toEqual([
    'Task 20 of 100% ÄRGER_x',
    'Task 0 of 100% ÄRGER_x',
  ])
})

test.each([
  'definition=trade.unknown',
  'source=trade',
  'source=trade.sales_invoices',
  'q=nothing%20like%20this',
])('the filter %s selects no items', async (filter) => expect(await idsOf(clerk.request, filter)).toEqual([]))

test('an empty filter is absent', async () => {
  expect(await idsOf(clerk.request, 'q=&definition=&source=&sort=newest')).toEqual(await idsOf(clerk.request))
})

describe('a cursor', () => {
  const ask = (query: string, cursor: string) =>
    clerk.request('GET', `/api/work-center/items?${query}&limit=2&cursor=${encodeURIComponent(cursor)}`)
  const cursorOf = async (query: string) => (await page(clerk.request, `${query}&limit=2`)).nextCursor ?? ''
  const invalid = { status: 400, code: 'work_center.cursor_invalid' }

  test.each([
    ['sort=due', 'sort=newest'],
    ['sort=due', 'sort=priority'],
    ['sort=newest', 'sort=due'],
    ['tab=notifications&sort=due', 'tab=notifications'],
    ['q=a', 'q=b'],
    ['q=a', ''],
    ['definition=trade.approve', ''],
    ['source=trade.sales_order', 'source=trade.sales_invoice'],
  ])('of the list "%s" is refused for the list "%s"', async (from, to) => {
    const cursor = await cursorOf(from)
    expect((await ask(from, cursor)).status).toBe(200)
    expect(await refusalOf(await ask(to, cursor))).toMatchObject(invalid)
  })

  test.each([
    ['due', ['2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00']],
    ['due', ['NaN', '2026-01-01 00:00:00+00']],
    ['due', ['9'.repeat(40), '2026-01-01 00:00:00+00']],
    ['due', ['1', 'infinity']],
    ['priority', ['-Infinity', '2026-01-01 00:00:00+00']],
    ['priority', ['99999999999', '2026-01-01 00:00:00+00']],
    ['priority', ['4']],
  ])('for the order %s with the forged position %j is refused', async (sort, position) => {
    const list = `${listName(clerk.userId, { tab: 'attention', filters: toFilters({}) })} ${sort}`
    const cursor = writeCursor(list, [...position, clerk.userId])
    expect(await refusalOf(await ask(`sort=${sort}`, cursor))).toMatchObject(invalid)
  })
})

test.each(['sort=oldest', 'sort=Due'])('the query %s is refused', async (query) => {
  const response = await clerk.request('GET', `/api/work-center/items?${query}`)
  expect(await refusalOf(response)).toMatchObject({ code: 'request.invalid', errors: [{ path: 'sort' }] })
})
