import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Priority, priorities, type Severity, severities, type Tab, tabs } from '../../src/contract.ts'
import { done, type InboxHost, idsOf, openInboxHost, summary } from '../harness.ts'
import { addNotification, addTask, closeTask, farAhead, longAgo, sourceOf, storeSnooze } from '../items.ts'
import { addPerson, addRole, type Person } from '../people.ts'

/** The properties of an item that the filters use. */
interface Fact {
  readonly id: string
  readonly tabs: readonly Tab[]
  readonly resourceCode: string
  readonly priority: Priority | null
  readonly severity: Severity | null
  readonly isOverdue: boolean
  readonly isRead: boolean
}

const codes = ['trade.sales_invoice', 'crm.ticket', 'trades.share', 'trade'] as const

let host: InboxHost
let clerk: Person
/** The created items, sorted from newest to oldest like the lists. */
const facts: Fact[] = []
beforeAll(async () => {
  host = await openInboxHost()
  await addRole(
    host.database,
    'trade.clerk',
    codes.map((code) => `document.${code}.view`),
  )
  clerk = await addPerson(host, ['trade.clerk'])
  for (const resourceCode of codes) {
    for (const priority of priorities) {
      for (const state of ['open', 'snoozed', 'closed'] as const) {
        for (const isPastDue of [true, false]) await addFact({ resourceCode, priority, state, isPastDue })
      }
    }
    for (const severity of severities) {
      for (const state of ['unread', 'read', 'dismissed'] as const) {
        await addNotice({ resourceCode, severity, state })
      }
    }
  }
})
afterAll(() => host.close())

let taskCount = 0

async function addFact({
  resourceCode,
  priority,
  state,
  isPastDue,
}: {
  resourceCode: string
  priority: Priority
  state: 'open' | 'snoozed' | 'closed'
  isPastDue: boolean
}): Promise<void> {
  const id = await addTask(host.database, {
    assignedTo: { userId: clerk.userId },
    source: sourceOf(resourceCode),
    priority,
    dueAtUtc: isPastDue ? longAgo : farAhead,
  })
  taskCount += 1
  const isRead = taskCount % 3 === 0
  if (isRead) await done(clerk.request, 'tasks', id, 'read')
  if (state === 'closed') await closeTask(host.database, id)
  if (state === 'snoozed') await storeSnooze(host.database, id, farAhead)
  facts.unshift({
    id,
    tabs: { open: ['attention', 'tasks'], snoozed: ['tasks'], closed: ['completed'] }[state] as Tab[],
    resourceCode,
    priority,
    severity: null,
    isOverdue: isPastDue && state !== 'closed',
    isRead,
  })
}

async function addNotice({
  resourceCode,
  severity,
  state,
}: {
  resourceCode: string
  severity: Severity
  state: 'unread' | 'read' | 'dismissed'
}): Promise<void> {
  const source = sourceOf(resourceCode)
  const id = await addNotification(host.database, { to: [clerk.userId], source, severity })
  if (state === 'read') await done(clerk.request, 'notifications', id, 'read')
  if (state === 'dismissed') await done(clerk.request, 'notifications', id, 'dismiss')
  facts.unshift({
    id,
    tabs: { unread: ['attention', 'notifications'], read: ['notifications'], dismissed: [] }[state] as Tab[],
    resourceCode,
    priority: null,
    severity,
    isOverdue: false,
    isRead: state === 'read',
  })
}

interface Filters {
  readonly vertical: string | null
  readonly priority: Priority | null
  readonly severity: Severity | null
  readonly overdue: boolean | null
  readonly unread: boolean | null
}

/** Returns the ids of the created items that a tab must list with these filters. */
const expected = (tab: Tab, { vertical, priority, severity, overdue, unread }: Filters) =>
  facts
    .filter((fact) => fact.tabs.includes(tab))
    .filter((fact) => vertical === null || fact.resourceCode.startsWith(`${vertical}.`))
    .filter((fact) => priority === null || fact.priority === priority)
    .filter((fact) => severity === null || fact.severity === severity)
    .filter((fact) => overdue === null || fact.isOverdue === overdue)
    .filter((fact) => unread === null || fact.isRead !== unread)
    .map(({ id }) => id)

const queryOf = (tab: Tab, filters: Filters): string => {
  const parameters = new URLSearchParams({ tab, limit: '100' })
  for (const [name, value] of Object.entries(filters)) {
    if (value !== null) parameters.set(name, String(value))
  }
  return parameters.toString()
}

const booleans = [null, true, false] as const

const allFilters: readonly Filters[] = [null, 'trade', 'crm', 'tr', 'trade.sales_invoice'].flatMap(
  (vertical) =>
    [null, 'Normal' as const, 'Critical' as const].flatMap((priority) =>
      [null, 'Warning' as const, 'Critical' as const].flatMap((severity) =>
        booleans.flatMap((overdue) =>
          booleans.map((unread) => ({ vertical, priority, severity, overdue, unread })),
        ),
      ),
    ),
)

describe.each(tabs)('the tab %s', (tab) => {
  test('lists exactly the matching items for every combination of filters', async () => {
    let listedCount = 0
    for (const filters of allFilters) {
      const query = queryOf(tab, filters)
      const ids = await idsOf(clerk.request, query)
      expect(ids, query).toEqual(expected(tab, filters))
      listedCount += ids.length
    }
    expect(listedCount).toBeGreaterThan(0)
  })

  test.each([
    ...priorities.map((value) => `priority=${value}`),
    ...severities.map((value) => `severity=${value}`),
  ])('lists exactly the matching items for the single filter %s', async (filter) => {
    const [name = '', value] = filter.split('=')
    const none = { vertical: null, priority: null, severity: null, overdue: null, unread: null }
    const filters = { ...none, [name]: value } as Filters
    expect(await idsOf(clerk.request, queryOf(tab, filters))).toEqual(expected(tab, filters))
  })
})

test.each([null, 'trade', 'crm', 'trades', 'nothing'])(
  'the counts match the lists if the filter by vertical is %s',
  async (vertical) => {
    const none = { vertical, priority: null, severity: null, overdue: null, unread: null }
    expect(await summary(clerk.request, vertical === null ? '' : `vertical=${vertical}`)).toEqual({
      attentionCount: expected('attention', none).length,
      openTaskCount: expected('tasks', none).length,
      overdueTaskCount: expected('attention', { ...none, overdue: true }).length,
      notificationCount: expected('notifications', none).length,
      unreadNotificationCount: expected('notifications', { ...none, unread: true }).length,
      version: expect.any(Number),
    })
  },
)
