import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, type InboxHost, idsOf, openInboxHost, page, refusalOf, send, summary } from '../harness.ts'
import { addTask, closeTask, entriesOf, farAhead, sourceOf, versions } from '../items.ts'
import {
  addPerson,
  addRole,
  giveRole,
  type Person,
  setRoleActivity,
  takeRole,
  viewOrders,
} from '../people.ts'

let host: InboxHost
let clerk: Person
let colleague: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  colleague = await addPerson(host, ['trade.clerk'])
  host.announced.length = 0
})

const claim = (person: Person, id: string, expectedVersion: unknown = 1) =>
  send(person.request, 'tasks', id, 'claim', { expectedVersion })

const claimed = (person: Person, id: string, expectedVersion = 1) =>
  done(person.request, 'tasks', id, 'claim', { expectedVersion })

async function expectConflict(response: Promise<Response>): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({
    status: 409,
    code: 'work_center.task_claim_conflict',
  })
}

async function expectNotFound(response: Promise<Response>): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({ status: 404, code: 'work_center.item_not_found' })
}

describe('a claim', () => {
  test('assigns the task to the claimer, raises the version of the task, and keeps its place in the list', async () => {
    const id = await addTask(host.database)
    const newer = await addTask(host.database)
    const before = (await page(clerk.request)).items.find((item) => item.id === id)
    expect(before).toMatchObject({ taskStatus: 'Open', version: 1, assignment: { isRoleAssigned: true } })
    const after = await claimed(clerk, id)
    expect(after).toEqual({
      ...before,
      taskStatus: 'InProgress',
      version: 2,
      assignment: { ...before?.assignment, claimedByUserId: clerk.userId },
    })
    expect((await page(clerk.request, 'tab=tasks')).items.slice(0, 2)).toMatchObject([{ id: newer }, after])
    expect(await idsOf(clerk.request)).toContain(id)
  })

  test('removes the task from the lists and counts of all other users, and raises their versions', async () => {
    const id = await addTask(host.database)
    const before = await summary(colleague.request)
    await claimed(clerk, id)
    for (const tab of ['attention', 'tasks', 'completed']) {
      expect(await idsOf(colleague.request, `tab=${tab}`)).not.toContain(id)
    }
    expect(await summary(colleague.request)).toEqual({
      ...before,
      attentionCount: before.attentionCount - 1,
      openTaskCount: before.openTaskCount - 1,
      version: before.version + 1,
    })
  })

  test('raises the version of each recipient by one, and all versions are announced together', async () => {
    const outsider = await addPerson(host, ['trade.auditor'])
    const id = await addTask(host.database)
    const before = await versions(host.database)
    await claimed(clerk, id)
    const after = await versions(host.database)
    const recipients = (await entriesOf(host.database, id)).map((entry) => entry.user_id)
    expect(recipients).toEqual(expect.arrayContaining([clerk.userId, colleague.userId]))
    for (const userId of recipients) expect(after.get(userId)).toBe((before.get(userId) ?? 0) + 1)
    expect(after.get(outsider.userId)).toBe(before.get(outsider.userId))
    expect(host.announced).toEqual([new Map(recipients.map((userId) => [userId, after.get(userId)]))])
  })

  test('remains valid after the claimer loses the role, until the task is given back', async () => {
    const id = await addTask(host.database)
    await claimed(clerk, id)
    await takeRole(host.database, clerk, 'trade.clerk')
    await giveRole(host.database, clerk, 'trade.manager')
    expect(await idsOf(clerk.request)).toEqual([id])
  })

  test('allows only the claimer to read and snooze the task', async () => {
    const id = await addTask(host.database)
    await claimed(clerk, id)
    expect(await done(clerk.request, 'tasks', id, 'read')).toMatchObject({ isRead: true, version: 2 })
    const body = { snoozedUntilUtc: farAhead }
    expect(await done(clerk.request, 'tasks', id, 'snooze', body)).toMatchObject({
      snoozedUntilUtc: farAhead,
    })
    await expectNotFound(send(colleague.request, 'tasks', id, 'read'))
    await expectNotFound(send(colleague.request, 'tasks', id, 'snooze', body))
  })

  test.each([1, 2, 99, -1])('repeated with expected version %i returns the same item', async (version) => {
    const id = await addTask(host.database)
    const first = await claimed(clerk, id)
    const before = await versions(host.database)
    expect(await claimed(clerk, id, version)).toEqual(first)
    expect(await versions(host.database)).toEqual(before)
    expect(host.announced).toHaveLength(1)
  })

  test('repeated after the completion of the task returns the completed task', async () => {
    const id = await addTask(host.database)
    await claimed(clerk, id)
    await closeTask(host.database, id)
    expect(await claimed(clerk, id)).toMatchObject({ taskStatus: 'Completed', version: 3 })
  })
})

describe('the response to a claim is 409', () => {
  test('for a task that another user has claimed', async () => {
    const id = await addTask(host.database)
    await claimed(clerk, id)
    await expectConflict(claim(colleague, id))
    await expectConflict(claim(colleague, id, 2))
    expect((await page(clerk.request)).items[0]).toMatchObject({
      version: 2,
      assignment: { claimedByUserId: clerk.userId },
    })
  })

  test.each([0, 2, -1, Number.MAX_SAFE_INTEGER])('if the expected version is %i, not 1', async (version) => {
    const id = await addTask(host.database)
    await expectConflict(claim(clerk, id, version))
    expect(host.announced).toEqual([])
  })

  test('for a task that was completed and reopened after the claimer read it', async () => {
    const deduplicationKey = 'reopened'
    const id = await addTask(host.database, { deduplicationKey })
    await closeTask(host.database, id)
    await addTask(host.database, { deduplicationKey })
    await expectConflict(claim(clerk, id, 1))
    expect(await claimed(clerk, id, 3)).toMatchObject({ version: 4 })
  })

  test.each(['Completed', 'Cancelled'] as const)('for a task that is %s', async (status) => {
    const id = await addTask(host.database)
    await closeTask(host.database, id, status)
    await expectConflict(claim(clerk, id, 2))
  })

  test('for a task that is assigned to one user', async () => {
    const id = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    await expectConflict(claim(clerk, id))
    expect((await page(clerk.request)).items[0]).toMatchObject({ taskStatus: 'Open', version: 1 })
  })
})

describe('the response to a claim is 404', () => {
  test('for users that have not received the task, before and after another user claims it', async () => {
    const id = await addTask(host.database)
    const late = await addPerson(host, ['trade.clerk'])
    const manager = await addPerson(host, ['trade.manager'])
    for (const person of [late, manager]) await expectNotFound(claim(person, id))
    await claimed(clerk, id)
    for (const person of [late, manager]) await expectNotFound(claim(person, id))
  })

  test('for users without permission to view its source, before and after another user claims it', async () => {
    await addRole(host.database, 'trade.clerk', [viewOrders])
    const id = await addTask(host.database)
    await expectNotFound(claim(clerk, id))
    await addRole(host.database, 'trade.clerk', [viewOrders, 'document.trade.sales_invoice.view'])
    await claimed(clerk, id)
    await addRole(host.database, 'trade.clerk', [viewOrders])
    await expectNotFound(claim(colleague, id))
    await expectNotFound(claim(clerk, id))
    await addRole(host.database, 'trade.clerk', [viewOrders, 'document.trade.sales_invoice.view'])
  })

  test('for users with a revoked or inactive role', async () => {
    const id = await addTask(host.database)
    await takeRole(host.database, clerk, 'trade.clerk')
    await giveRole(host.database, clerk, 'trade.manager')
    await expectNotFound(claim(clerk, id))
    await setRoleActivity(host.database, 'trade.clerk', false)
    await expectNotFound(claim(colleague, id))
    await setRoleActivity(host.database, 'trade.clerk', true)
    expect(await claimed(colleague, id)).toMatchObject({ taskStatus: 'InProgress' })
  })
})

describe('the response to a claim is 400 request.invalid', () => {
  test.each([
    [{}],
    [{ expectedVersion: '1' }],
    [{ expectedVersion: 1.5 }],
    [{ expectedVersion: null }],
    [{ expectedVersion: 1e300 }],
  ])('for the body %j', async (body) => {
    const id = await addTask(host.database, { source: sourceOf() })
    expect(await refusalOf(await send(clerk.request, 'tasks', id, 'claim', body))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'expectedVersion' }],
    })
  })

  test.each([[[]], [null], ['"x"']])('for the body %j, which is not an object', async (body) => {
    const id = await addTask(host.database)
    expect((await send(clerk.request, 'tasks', id, 'claim', JSON.stringify(body))).status).toBe(400)
  })
})
