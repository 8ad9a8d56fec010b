import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreateTask } from '../../src/commands/create-tasks.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { collectPayment, definitions } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { type InboxHost, openInboxHost, page } from '../harness.ts'
import { addTask, sourceOf } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
  clerk = await addPerson(host, ['trade.clerk'])
})
afterAll(() => host.close())

const earliest = '0001-01-01T00:00:00.000Z'
const ides = '0044-03-15T12:00:00.500Z'
const latest = '9999-12-31T23:59:59.999Z'

test('due dates and positions in a list have the stored year, from 1 to 9999', async () => {
  for (const instant of [earliest, ides, latest]) {
    const id = await addTask(host.database, { dueAtUtc: instant })
    await host.database.statement((tx) =>
      tx.execute(
        sql`update work_center.entries set sort_at = ${instant}::timestamptz where item_id = ${id}::uuid`,
      ),
    )
  }
  const newest = await page(clerk.request, 'limit=1')
  const middle = await page(clerk.request, `limit=1&cursor=${newest.nextCursor}`)
  const oldest = await page(clerk.request, `limit=1&cursor=${middle.nextCursor}`)
  expect([newest, middle, oldest].flatMap(({ items }) => items)).toMatchObject([
    { dueAtUtc: latest, sortAtUtc: latest, isOverdue: false },
    { dueAtUtc: ides, sortAtUtc: ides, isOverdue: true },
    { dueAtUtc: earliest, sortAtUtc: earliest, isOverdue: true },
  ])
  expect(oldest.nextCursor).toBeNull()
})

test('a task that is due on a day has this day, and is overdue when it has ended in UTC−12', async () => {
  const dueOn = async (day: string) => {
    const id = await addTask(host.database, { dueOn: day })
    const [row] = await host.database.read((db) =>
      db.execute<{ ended: string }>(sql`
        select to_char(due_at at time zone 'Etc/GMT+12', 'YYYY-MM-DD HH24:MI:SS') as ended
        from work_center.entries
        where item_id = ${id}::uuid`),
    )
    const { items } = await page(clerk.request, 'tab=tasks&limit=100')
    return { ...items.find((item) => item.id === id), ended: row?.ended }
  }
  expect(await dueOn('2020-02-28')).toMatchObject({
    dueOn: '2020-02-28',
    dueAtUtc: '2020-02-28T23:59:59.999Z',
    ended: '2020-02-29 00:00:00',
    isOverdue: true,
  })
  expect(await dueOn('0001-01-01')).toMatchObject({ dueOn: '0001-01-01', isOverdue: true })
  expect(await dueOn('9999-12-31')).toMatchObject({
    dueOn: '9999-12-31',
    dueAtUtc: '9999-12-31T23:59:59.999Z',
    isOverdue: false,
  })
})

const create = (due: Pick<CreateTask, 'dueAtUtc' | 'dueOn'>) => () => {
  const inbox = openInbox(undefined as unknown as Tx, { definitions, config, administratorRoleCodes })
  inbox.createTask(collectPayment, {
    ...{ deduplicationKey: 'a', title: 'Collect', source: sourceOf() },
    ...{ assignedTo: { roleCode: 'trade.clerk' }, ...due },
  })
}

test.each(['0000-01-01', '2026-02-30', '2026-1-31', '2026-01-31T00:00:00Z', ''])(
  'a task with the due day %j is refused when it is created',
  (day) => {
    expect(create({ dueOn: day })).toThrow(
      new TypeError(
        `dueOn of ${collectPayment.code} must be a day such as 2026-11-30, from the year 1 to 9999`,
      ),
    )
  },
)

test('a task with a due day and a due instant is refused', () => {
  expect(create({ dueOn: '2026-11-30', dueAtUtc: latest })).toThrow(
    new TypeError(`${collectPayment.code} has dueAtUtc and dueOn: a task is due at an instant or on a day`),
  )
})

test.each([
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00.000Z',
  '-000043-03-15T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-31',
  'infinity',
])('a task with the due date %s is refused when it is created', (dueAtUtc) => {
  expect(create({ dueAtUtc })).toThrow(
    new TypeError(`dueAtUtc of ${collectPayment.code} must be an instant in UTC, from the year 1 to 9999`),
  )
})
