import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Priority, TeamSort, TeamTask, TeamTaskPage } from '../../src/contract.ts'
import { taskHealth } from '../../src/health.ts'
import { supervise } from '../../src/permissions.ts'
import { administratorRoleCodes, clear } from '../desk.ts'
import { done, expectJson, type InboxHost, openInboxHost, refusalOf } from '../harness.ts'
import { addTask, closeTask, farAhead, longAgo, sourceOf } from '../items.ts'
import {
  addPerson,
  addRole,
  deactivate,
  giveRole,
  type Person,
  setRoleActivity,
  takeRole,
  viewInvoices,
  viewOrders,
} from '../people.ts'

let host: InboxHost
let clerk: Person
let supervisor: Person
beforeAll(async () => {
  host = await openInboxHost()
  await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
  clerk = await addPerson(host, ['trade.clerk'])
  supervisor = await addPerson(host, ['trade.supervisor'])
})
afterAll(() => host.close())
beforeEach(() => clear(host.database))

const team = async (query = '', person = supervisor): Promise<TeamTaskPage> =>
  expectJson<TeamTaskPage>(await person.request('GET', `/api/work-center/team?${query}`))

const idsOf = async (query = '', person = supervisor): Promise<readonly string[]> =>
  (await team(query, person)).items.map(({ id }) => id)

const claim = (person: Person, id: string) =>
  done(person.request, 'tasks', id, 'claim', { expectedVersion: 1 })

describe('the team’s list', () => {
  test('shows who has each task and since when, overdue first', async () => {
    const later = await addTask(host.database, { dueAtUtc: farAhead })
    const anyTime = await addTask(host.database)
    const overdue = await addTask(host.database, { dueAtUtc: longAgo })
    const own = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    await claim(clerk, later)
    const { items } = await team()
    expect(items.map(({ id }) => id)).toEqual([overdue, later, own, anyTime])
    const byId = new Map(items.map((item) => [item.id, item]))
    expect(byId.get(overdue)).toMatchObject({
      isOverdue: true,
      taskStatus: 'Open',
      claimedBy: null,
      assignedRole: { code: 'trade.clerk' },
      recipientCount: 1,
      isRead: false,
      snoozedUntilUtc: null,
      onBehalfOf: null,
    })
    const holder = { userId: clerk.userId, displayName: clerk.subject, sinceUtc: expect.any(String) }
    expect(byId.get(later)).toMatchObject({ taskStatus: 'InProgress', claimedBy: holder, isOverdue: false })
    expect(byId.get(own)).toMatchObject({ taskStatus: 'Open', claimedBy: holder, assignedRole: null })
  })

  test('has a time of the claim that the claim sets and its end removes', async () => {
    const id = await addTask(host.database)
    const before = (await team()).items[0]
    await claim(clerk, id)
    const since = (await team()).items[0]?.claimedBy?.sinceUtc ?? ''
    expect(since > (before?.sortAtUtc ?? '')).toBe(true)
  })

  test('contains only tasks whose source the supervisor may view', async () => {
    const id = await addTask(host.database)
    await addTask(host.database, { source: sourceOf('crm.ticket') })
    expect(await idsOf()).toEqual([id])
    const administrator = await addPerson(host, ['trade.administrator'])
    expect(await idsOf('', administrator)).toHaveLength(2)
    const root = { ...supervisor, request: await host.as({ subject: 'root', roles: ['platform-admin'] }) }
    expect(await idsOf('', root)).toHaveLength(2)
  })

  test('shows a supervisor who received the task their own state of reading', async () => {
    const id = await addTask(host.database)
    const both = await addPerson(host, ['trade.supervisor', 'trade.clerk'])
    const second = await addTask(host.database)
    await done(both.request, 'tasks', second, 'read')
    const read = (await team('', both)).items.map((item) => [item.id, item.isRead])
    expect(new Map(read as [string, boolean][])).toEqual(
      new Map([
        [id, false],
        [second, true],
      ]),
    )
    await takeRole(host.database, both, 'trade.clerk')
  })

  test('filters by status, holder, role and due date', async () => {
    const [open, claimed, completed, cancelled] = [
      await addTask(host.database, { dueAtUtc: longAgo }),
      await addTask(host.database),
      await addTask(host.database, { dueAtUtc: longAgo }),
      await addTask(host.database),
    ]
    await claim(clerk, claimed)
    await closeTask(host.database, completed)
    await closeTask(host.database, cancelled, 'Cancelled')
    expect(await idsOf('status=Open')).toEqual([open])
    expect(await idsOf('status=InProgress')).toEqual([claimed])
    expect(await idsOf('status=Completed')).toEqual([completed])
    expect(await idsOf('status=Cancelled&sort=priority')).toEqual([cancelled])
    expect(await idsOf(`claimedBy=${clerk.userId}`)).toEqual([claimed])
    expect(await idsOf(`claimedBy=${supervisor.userId}`)).toEqual([])
    expect(await idsOf('role=trade.clerk')).toEqual([open, claimed])
    for (const role of ['trade.manager', 'trade.nothing']) expect(await idsOf(`role=${role}`)).toEqual([])
    expect(await idsOf('overdue=true')).toEqual([open])
    expect(await idsOf('overdue=false')).toEqual([claimed])
  })

  test('is refused without the permission, and with a bad filter', async () => {
    const asked = (person: Person, query: string) =>
      person.request('GET', `/api/work-center/team?${query}`).then(refusalOf)
    expect(await asked(clerk, '')).toMatchObject({ status: 403, code: 'permission.denied' })
    for (const query of ['status=Done', 'claimedBy=me', 'sort=age', 'overdue=yes', 'limit=x']) {
      expect(await asked(supervisor, query)).toMatchObject({ status: 400, code: 'request.invalid' })
    }
  })

  test('rejects a cursor of another order, filter or user, and a changed one', async () => {
    for (let n = 0; n < 2; n += 1) await addTask(host.database)
    const { nextCursor } = await team('limit=1')
    const other = await addPerson(host, ['trade.supervisor'])
    const asked = [
      [supervisor, `sort=newest&cursor=${nextCursor}`],
      [supervisor, `overdue=true&cursor=${nextCursor}`],
      [supervisor, 'cursor=abc'],
      [other, `cursor=${nextCursor}`],
    ] as const
    for (const [person, query] of asked) {
      const response = await person.request('GET', `/api/work-center/team?limit=1&${query}`)
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'work_center.cursor_invalid' })
    }
  })
})

const priorities: readonly Priority[] = ['Low', 'Normal', 'High', 'Critical']
const compare = <T>(one: T, other: T): number => (one < other ? -1 : Number(one > other))
const byTime = (one: TeamTask, other: TeamTask) =>
  compare(other.sortAtUtc, one.sortAtUtc) || compare(other.id, one.id)
const expectedOrder: Record<TeamSort, (one: TeamTask, other: TeamTask) => number> = {
  newest: byTime,
  oldest: (one, other) => byTime(other, one),
  due: (one, other) => compare(one.dueAtUtc ?? 'Z', other.dueAtUtc ?? 'Z') || byTime(one, other),
  priority: (one, other) =>
    priorities.indexOf(other.priority as Priority) - priorities.indexOf(one.priority as Priority) ||
    byTime(one, other),
}

test('pages of every order contain each task once, in its order', async () => {
  const tasks = fc.sample(
    fc.record({
      priority: fc.constantFrom(...priorities),
      dueAtUtc: fc.constantFrom(null, longAgo, farAhead, '2026-01-01T00:00:00.000Z'),
    }),
    25,
  )
  for (const task of tasks) await addTask(host.database, task)
  for (const sort of ['due', 'priority', 'newest', 'oldest'] as const) {
    const listed: TeamTask[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const found: TeamTaskPage = await team(
        `sort=${sort}&limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      listed.push(...found.items)
      cursor = found.nextCursor
    }
    expect(listed).toHaveLength(tasks.length)
    expect(listed.map(({ id }) => id)).toEqual(listed.toSorted(expectedOrder[sort]).map(({ id }) => id))
  }
  for (const { id } of (await team('limit=100')).items) await closeTask(host.database, id)
  const first = await team('status=Completed&limit=10')
  const second = await team(`status=Completed&limit=100&cursor=${first.nextCursor}`)
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(tasks.length)
})

describe('a task is invisible', () => {
  let only: Person
  let id: string
  beforeEach(async () => {
    const code = `trade.clerk`
    await deactivateAll(code)
    only = await addPerson(host, [code])
    id = await addTask(host.database)
  })
  const invisible = () => idsOf('invisible=true')
  const healthOf = () => taskHealth({ database: host.database, administratorRoleCodes }).check(signal)
  const { signal } = new AbortController()

  test('while no active user has it: health counts it, and a supervisor assigns it', async () => {
    expect(await invisible()).toEqual([])
    expect(await idsOf('invisible=false')).toEqual([id])
    expect(await healthOf()).toEqual({ status: 'Healthy', failedCount: 0 })
    await deactivate(host.database, only)
    expect(await invisible()).toEqual([id])
    expect(await healthOf()).toMatchObject({ status: 'Degraded', failedCount: 1 })
    const joiner = await addPerson(host, ['trade.clerk'])
    expect(await invisible()).toEqual([id])
    const body = { expectedVersion: 1, to: { userId: joiner.userId } }
    await expectJson(await supervisor.request('POST', `/api/work-center/team/tasks/${id}/assign`, { body }))
    expect(await invisible()).toEqual([])
    expect(await healthOf()).toMatchObject({ status: 'Healthy' })
  })

  test('while its recipients lack the role or the permission to view its source', async () => {
    await takeRole(host.database, only, 'trade.clerk')
    expect(await invisible()).toEqual([id])
    await giveRole(host.database, only, 'trade.clerk')
    await setRoleActivity(host.database, 'trade.clerk', false)
    expect(await invisible()).toEqual([id])
    await setRoleActivity(host.database, 'trade.clerk', true)
    await addRole(host.database, 'trade.clerk', [viewOrders])
    expect(await invisible()).toEqual([id])
    await giveRole(host.database, only, 'trade.administrator')
    expect(await invisible()).toEqual([])
    await addRole(host.database, 'trade.clerk', [viewOrders, viewInvoices, 'document.crm.ticket.view'])
  })

  test('not once it is closed', async () => {
    await deactivate(host.database, only)
    await closeTask(host.database, id)
    expect(await invisible()).toEqual([])
    expect(await healthOf()).toMatchObject({ status: 'Healthy' })
  })

  test('if it is assigned to a user who was deactivated', async () => {
    const own = await addTask(host.database, { assignedTo: { userId: only.userId } })
    expect(await invisible()).toEqual([])
    await deactivate(host.database, only)
    expect(new Set(await invisible())).toEqual(new Set([own, id]))
  })
})

/** Deactivates the members of a role. */
const deactivateAll = (code: string) =>
  host.database.statement((tx) =>
    tx.execute(sql`
      update core_audit.users u set is_active = false
      where u.id in (select m.user_id from core_audit.active_role_members m where m.role_code = ${code})`),
  )

test('health keeps its result, so frequent checks do not count again', async () => {
  let count = 0
  const database = {
    ...host.database,
    read: ((...call: Parameters<typeof host.database.read>) => {
      count += 1
      return host.database.read(...call)
    }) as typeof host.database.read,
  }
  const health = taskHealth({ database, administratorRoleCodes })
  const { signal } = new AbortController()
  const results = [await health.check(signal), await health.check(signal)]
  expect(results[0]).toBe(results[1])
  expect(count).toBe(1)
})

test('a count that takes long runs once, and reports show the last result', async () => {
  const limits = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 }
  const database = createDatabase({ ...databaseDefaults, url: host.databaseUrl, ...limits })
  onTestFinished(() => database.close())
  const health = taskHealth({ database, administratorRoleCodes })
  const { signal } = new AbortController()
  const unlocked = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = host.database.transaction(async (tx) => {
    await tx.execute(sql`lock table work_center.tasks in access exclusive mode`)
    locked.resolve()
    await unlocked.promise
  })
  await locked.promise
  const reports = [health.check(signal), health.check(signal)]
  for (const report of reports)
    expect(await report).toMatchObject({
      status: 'Degraded',
      detail: expect.stringContaining('not be counted'),
    })
  const waiting = await host.database.read((db) =>
    db.execute(
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    ),
  )
  expect(waiting).toHaveLength(1)
  const third = health.check(signal)
  unlocked.resolve()
  await locking
  expect(await third).toEqual({ status: 'Healthy', failedCount: 0 })
})
