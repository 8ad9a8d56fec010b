import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { supervise } from '../../src/permissions.ts'
import { collectPayment } from '../definitions.ts'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addTask, closeTask, entriesOf, sourceOf, versions } from '../items.ts'
import { addPerson, addRole, giveRole, type Person, takeRole, viewInvoices, viewOrders } from '../people.ts'

let host: InboxHost
let clerk: Person
let colleague: Person
let supervisor: Person
beforeAll(async () => {
  host = await openInboxHost()
  await addRole(host.database, 'trade.supervisor', [supervise, viewInvoices])
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  colleague = await addPerson(host, ['trade.clerk'])
  supervisor = await addPerson(host, ['trade.supervisor'])
  host.announced.length = 0
})

const release = (person: Person, id: string, expectedVersion: unknown = 2) =>
  send(person.request, 'tasks', id, 'release', { expectedVersion })

async function claimedTask(task: Parameters<typeof addTask>[1] = {}): Promise<string> {
  const id = await addTask(host.database, task)
  await done(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  host.announced.length = 0
  return id
}

const expectRefusal = async (response: Promise<Response>, status: number, code: string): Promise<void> =>
  expect(await refusalOf(await response)).toMatchObject({ status, code })

const auditEvents = (entityId: string) =>
  host.database.read((db) =>
    db.execute(sql`
      select module, target_kind, target_type_code, action_code, actor_user_id, metadata, changes
      from core_audit.audit_events
      where target_id = ${entityId}::uuid`),
  )

describe('a release', () => {
  test('returns the open task, and shows it to the other members of the role again', async () => {
    const id = await claimedTask()
    expect(await idsOf(colleague.request)).not.toContain(id)
    const before = await summary(colleague.request)
    expect(await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })).toMatchObject({
      taskStatus: 'Open',
      version: 3,
      assignment: { isRoleAssigned: true, claimedByUserId: null },
    })
    expect(await idsOf(colleague.request)).toContain(id)
    expect(await summary(colleague.request)).toEqual({
      ...before,
      attentionCount: before.attentionCount + 1,
      openTaskCount: before.openTaskCount + 1,
      version: before.version + 1,
    })
    await done(colleague.request, 'tasks', id, 'claim', { expectedVersion: 3 })
  })

  test('raises the version of each member of the role by one, and announces them together', async () => {
    const id = await claimedTask()
    const before = await versions(host.database)
    await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
    const after = await versions(host.database)
    const users = (await entriesOf(host.database, id)).map(({ user_id }) => user_id)
    expect(users).toEqual(expect.arrayContaining([clerk.userId, colleague.userId]))
    for (const user of users) expect(after.get(user)).toBe((before.get(user) ?? 0) + 1)
    expect(host.announced).toEqual([new Map(users.map((user) => [user, after.get(user)]))])
  })

  test('makes members recipients that have gained the role during the claim, unless they switched it off', async () => {
    const id = await claimedTask()
    const late = await addPerson(host, ['trade.clerk'])
    const unwilling = await addPerson(host, ['trade.clerk'])
    const preferences = [{ code: collectPayment.code, channel: 'InApp', isEnabled: false }]
    await unwilling.request('PUT', '/api/me/notification-preferences', { body: { preferences } })
    await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
    expect(await idsOf(late.request)).toEqual([id])
    expect(await idsOf(unwilling.request)).toEqual([])
  })

  test('is audited in the timeline of the source', async () => {
    const source = sourceOf()
    const id = await claimedTask({ source })
    await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
    expect(await auditEvents(source.entityId)).toEqual([
      {
        module: 'work-center',
        target_kind: 'Document',
        target_type_code: 'trade.sales_invoice',
        action_code: 'work_center.task_released',
        actor_user_id: clerk.userId,
        metadata: expect.objectContaining({ taskId: id, version: 3 }),
        changes: [{ fieldPath: 'claimedByUserId', oldValue: clerk.userId, newValue: null }],
      },
    ])
  })

  test('by a claimer without the role responds with 204, because the task is no longer theirs', async () => {
    const id = await claimedTask()
    await takeRole(host.database, clerk, 'trade.clerk')
    await giveRole(host.database, clerk, 'trade.manager')
    const before = (await versions(host.database)).get(clerk.userId) ?? 0
    expect((await release(clerk, id)).status).toBe(204)
    expect(await idsOf(clerk.request)).toEqual([])
    expect((await versions(host.database)).get(clerk.userId)).toBe(before + 1)
    expect(await idsOf(colleague.request)).toContain(id)
  })
})

describe('a supervisor', () => {
  test('can release a task of another user without being a recipient', async () => {
    const source = sourceOf()
    const id = await claimedTask({ source })
    expect(await done(supervisor.request, 'tasks', id, 'release', { expectedVersion: 2 })).toMatchObject({
      ...{ kind: 'Task', id, taskStatus: 'Open', version: 3, isRead: false },
      source: { entityId: source.entityId },
    })
    expect(await idsOf(colleague.request)).toContain(id)
    expect(await auditEvents(source.entityId)).toMatchObject([{ actor_user_id: supervisor.userId }])
  })

  test('with the role sees the released task', async () => {
    await giveRole(host.database, supervisor, 'trade.clerk')
    const id = await claimedTask()
    expect(await done(supervisor.request, 'tasks', id, 'release', { expectedVersion: 2 })).toMatchObject({
      id,
      taskStatus: 'Open',
    })
  })

  test('cannot release a task whose source they may not view', async () => {
    const id = await claimedTask({ source: sourceOf('trade.sales_order') })
    await expectRefusal(release(supervisor, id), 404, 'work_center.item_not_found')
  })

  test('is refused with the same codes as a claimer', async () => {
    const id = await claimedTask()
    await expectRefusal(release(supervisor, id, 1), 409, 'work_center.task_claim_conflict')
    await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
    await expectRefusal(release(supervisor, id, 3), 409, 'work_center.not_claimed')
  })
})

describe('a release is refused', () => {
  test('with 409 work_center.task_claim_conflict if the version differs', async () => {
    const id = await claimedTask()
    for (const version of [1, 3]) {
      await expectRefusal(release(clerk, id, version), 409, 'work_center.task_claim_conflict')
    }
    expect(host.announced).toEqual([])
  })

  test('with 409 work_center.not_claimed for an unclaimed, a released and a closed task', async () => {
    const open = await addTask(host.database)
    await expectRefusal(release(clerk, open, 1), 409, 'work_center.not_claimed')
    const own = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    await expectRefusal(release(clerk, own, 1), 409, 'work_center.not_claimed')
    const id = await claimedTask()
    await done(clerk.request, 'tasks', id, 'release', { expectedVersion: 2 })
    await expectRefusal(release(clerk, id), 409, 'work_center.not_claimed')
    const closed = await claimedTask()
    await closeTask(host.database, closed)
    await expectRefusal(release(clerk, closed, 3), 409, 'work_center.not_claimed')
  })

  test('with 404 for users that do not see the task', async () => {
    const id = await claimedTask()
    const outsider = await addPerson(host, ['trade.auditor'])
    for (const person of [colleague, outsider]) {
      await expectRefusal(release(person, id), 404, 'work_center.item_not_found')
    }
    await addRole(host.database, 'trade.clerk', [viewOrders])
    await expectRefusal(release(clerk, id), 404, 'work_center.item_not_found')
    await addRole(host.database, 'trade.clerk', [viewOrders, viewInvoices])
  })

  test('with 400 for an invalid body', async () => {
    const id = await claimedTask()
    await expectRefusal(release(clerk, id, '2'), 400, 'request.invalid')
  })
})
