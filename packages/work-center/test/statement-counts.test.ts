import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BatchVerb, ItemKind } from '../src/contract.ts'
import { supervise } from '../src/permissions.ts'
import { settled } from './definitions.ts'
import { batch, done, type InboxHost, openInboxHost, page, summary } from './harness.ts'
import { addNotification, addTask, farAhead } from './items.ts'
import { addPerson, addRole, type Person, viewInvoices } from './people.ts'

const statements = recordStatements()
let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost({ observe: statements.observe })
  clerk = await addPerson(host, ['trade.clerk'])
  for (let n = 0; n < 10; n += 1) await addPerson(host, ['trade.clerk'])
})
afterAll(() => host.close())

/** Returns the number of statements that the module sends during `work`. Excludes reads of the permission snapshot. */
async function countOf(work: () => Promise<unknown>): Promise<number> {
  statements.reset()
  await work()
  return statements.count
}

test('a page and a summary each run one statement for any number of items', async () => {
  for (let round = 0; round < 3; round += 1) {
    await addTask(host.database)
    await addNotification(host.database, { to: [clerk.userId] })
    for (const tab of ['attention', 'tasks', 'notifications', 'completed']) {
      expect(await countOf(() => page(clerk.request, `tab=${tab}&limit=100`))).toBe(1)
    }
    expect(await countOf(() => summary(clerk.request))).toBe(1)
  }
  const { nextCursor } = await page(clerk.request, 'limit=2')
  expect(await countOf(() => page(clerk.request, `limit=2&cursor=${nextCursor}`))).toBe(1)
})

test('requests of a caller without a user record run no statement', async () => {
  const asks: readonly ((request: TestRequest) => Promise<unknown>)[] = [
    page,
    summary,
    (request) => request('GET', '/api/me/notification-preferences'),
  ]
  for (const [index, ask] of asks.entries()) {
    const stranger = await host.as({ subject: `stranger-${index}` })
    expect(await countOf(() => ask(stranger))).toBe(0)
  }
})

test('a change of an entry runs five statements: lock, rights, change, item and versions', async () => {
  const task = await addTask(host.database)
  const notification = await addNotification(host.database, { to: [clerk.userId] })
  const body = { snoozedUntilUtc: farAhead }
  for (const change of [
    () => done(clerk.request, 'tasks', task, 'read'),
    () => done(clerk.request, 'tasks', task, 'snooze', body),
    () => done(clerk.request, 'notifications', notification, 'read'),
    () => done(clerk.request, 'notifications', notification, 'unread'),
    () => done(clerk.request, 'notifications', notification, 'dismiss'),
    () => done(clerk.request, 'notifications', notification, 'restore'),
  ]) {
    expect(await countOf(change)).toBe(5)
    // A repeated request changes nothing and raises no version.
    expect(await countOf(change)).toBe(4)
  }
})

test('a claim runs two more statements for any number of recipients: the claims lock and the receipt check', async () => {
  const task = await addTask(host.database)
  const claim = () => done(clerk.request, 'tasks', task, 'claim', { expectedVersion: 1 })
  expect(await countOf(claim)).toBe(7)
  expect(await countOf(claim)).toBe(5)
})

test('a release runs two more statements than a claim, for any number of recipients: the new recipients and the audit event', async () => {
  const task = await addTask(host.database)
  await done(clerk.request, 'tasks', task, 'claim', { expectedVersion: 1 })
  const release = () => done(clerk.request, 'tasks', task, 'release', { expectedVersion: 2 })
  expect(await countOf(release)).toBe(9)
})

test.each([1, 2, 100])(
  'a batch of %i items runs the statements of a single request',
  async (size) => {
    const [tasks, notifications] = [[], []] as [string[], string[]]
    for (let n = 0; n < size; n += 1) {
      tasks.push(await addTask(host.database))
      notifications.push(await addNotification(host.database, { to: [clerk.userId] }))
    }
    const run = (verb: BatchVerb, kind: ItemKind, expectedVersion = 1) => {
      const items = (kind === 'Task' ? tasks : notifications).map((id) => ({ kind, id, expectedVersion }))
      return countOf(async () => {
        const results = await batch(clerk.request, { verb, items, snoozedUntilUtc: farAhead })
        expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]))
      })
    }
    for (const verb of ['read', 'unread', 'dismiss', 'restore'] as const) {
      expect(await run(verb, 'Notification')).toBe(5)
    }
    expect(await run('snooze', 'Task')).toBe(5)
    expect(await run('claim', 'Task')).toBe(7)
    expect(await run('release', 'Task', 2)).toBe(9)
  },
  60_000,
)

test('marking all items as read runs four statements: locks, rights, change and versions', async () => {
  for (const size of [1, 30]) {
    for (let n = 0; n < size; n += 1) {
      await addTask(host.database)
      await addNotification(host.database, { to: [clerk.userId] })
    }
    const { readThrough: through } = await page(clerk.request)
    const readAll = () =>
      clerk.request('POST', '/api/work-center/read-all', { body: { filters: {}, through } })
    expect(await countOf(readAll)).toBe(4)
    expect(await countOf(readAll)).toBe(3)
  }
})

test('forwarding runs ten statements, for any number of recipients', async () => {
  const [first, second] = [await addTask(host.database), await addTask(host.database)]
  const colleague = await addPerson(host, ['trade.clerk'])
  const forward = (id: string, to: object) => () =>
    clerk.request('POST', `/api/work-center/tasks/${id}/forward`, { body: { expectedVersion: 1, to } })
  expect(await countOf(forward(first, { userId: colleague.userId }))).toBe(10)
  expect(await countOf(forward(second, { roleCode: 'trade.clerk' }))).toBe(10)
})

test('a page of the team’s list runs one statement, and a change of a substitution seven', async () => {
  await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
  const supervisor = await addPerson(host, ['trade.supervisor'])
  const team = () => supervisor.request('GET', '/api/work-center/team?invisible=false')
  expect(await countOf(team)).toBe(1)
  const path = '/api/me/substitution'
  const fromUtc = new Date(Date.now() - 1_000).toISOString()
  const untilUtc = new Date(Date.now() + 86_400_000).toISOString()
  const body = { userId: supervisor.userId, fromUtc, untilUtc }
  expect(await countOf(() => clerk.request('PUT', path, { body }))).toBe(7)
  // For a substitute, a second statement reads the tasks of both users.
  expect(await countOf(() => page(supervisor.request, 'tab=tasks'))).toBe(2)
  expect(await countOf(() => summary(supervisor.request))).toBe(2)
  expect(await countOf(() => clerk.request('DELETE', path))).toBe(7)
})

test('listing preferences runs one statement, and setting preferences runs three', async () => {
  const path = '/api/me/notification-preferences'
  const body = { preferences: [{ code: settled.code, channel: 'InApp', isEnabled: false }] }
  expect(await countOf(() => clerk.request('GET', path))).toBe(1)
  expect(await countOf(() => clerk.request('PUT', path, { body }))).toBe(3)
})
