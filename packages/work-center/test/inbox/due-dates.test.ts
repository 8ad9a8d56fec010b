import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test.each([
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00.000Z',
  '-000043-03-15T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-31',
  'infinity',
])('a task with the due date %s is refused when it is created', (dueAtUtc) => {
  const inbox = openInbox(undefined as unknown as Tx, { definitions, config, administratorRoleCodes })
  const create = () =>
    inbox.createTask(collectPayment, {
      ...{ deduplicationKey: 'a', title: 'Collect', source: sourceOf() },
      ...{ assignedTo: { roleCode: 'trade.clerk' }, dueAtUtc },
    })
  expect(create).toThrow(
    new TypeError(`dueAtUtc of ${collectPayment.code} must be an instant in UTC, from the year 1 to 9999`),
  )
})
