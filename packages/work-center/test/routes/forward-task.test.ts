import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import type { Item } from '../../src/contract.ts'
import { approve, collectPayment } from '../definitions.ts'
import { expectJson, page, summary } from '../harness.ts'
import { addTask, farAhead, sourceOf, versions } from '../items.ts'
import { addCrowd, addPerson, type Person } from '../people.ts'
import {
  auditOf,
  claim,
  clerk,
  colleague,
  expectRefusal,
  forward,
  host,
  newsOf,
  openForwarding,
  supervisor,
  tasksOf,
} from './forwarding.ts'

openForwarding()

describe('forwarding to a user', () => {
  test('makes them the claimer of a role task, and hides it from all others', async () => {
    const id = await addTask(host.database, { dueAtUtc: farAhead })
    expect((await forward(clerk, id, { to: { userId: colleague.userId } })).status).toBe(204)
    expect(await tasksOf(clerk)).not.toContain(id)
    const [item] = (await page(colleague.request, 'tab=tasks')).items.filter((one) => one.id === id)
    expect(item).toMatchObject({
      taskStatus: 'InProgress',
      version: 2,
      isRead: false,
      dueAtUtc: farAhead,
      assignment: { claimedByUserId: colleague.userId, isRoleAssigned: true },
    })
  })

  test('makes them the assignee of a user’s task, which the former assignee no longer has', async () => {
    const id = await addTask(host.database, { assignedTo: { userId: clerk.userId } })
    expect((await forward(clerk, id, { to: { userId: colleague.userId } })).status).toBe(204)
    expect(await tasksOf(clerk)).toEqual([])
    expect((await page(colleague.request, 'tab=tasks')).items).toMatchObject([
      { id, taskStatus: 'Open', assignment: { assignedUserId: colleague.userId, claimedByUserId: null } },
    ])
  })

  test('reaches a user who has switched the task off, and a user who joined later', async () => {
    const body = { preferences: [{ code: collectPayment.code, channel: 'InApp', isEnabled: false }] }
    await colleague.request('PUT', '/api/me/notification-preferences', { body })
    const id = await addTask(host.database)
    const joiner = await addPerson(host, ['trade.clerk'])
    expect((await forward(clerk, id, { to: { userId: colleague.userId } })).status).toBe(204)
    expect(await tasksOf(colleague)).toEqual([id])
    expect((await forward(colleague, id, { to: { userId: joiner.userId }, expectedVersion: 2 })).status).toBe(
      204,
    )
    expect(await tasksOf(joiner)).toEqual([id])
  })

  test('keeps the claim of a member of another role of the definition until they lose this role', async () => {
    const manager = await addPerson(host, ['trade.manager'])
    const id = await addTask(host.database, { definition: approve })
    expect((await forward(clerk, id, { to: { userId: manager.userId } })).status).toBe(204)
    expect(await tasksOf(manager)).toEqual([id])
    const [row] = await host.database.read((db) =>
      db.execute<{ code: string }>(sql`
        select r.code from work_center.tasks t join core_audit.role_names r on r.id = t.claim_role_id
        where t.id = ${id}::uuid`),
    )
    expect(row).toEqual({ code: 'trade.manager' })
  })

  test('returns the item to a user who forwards it to themselves', async () => {
    const id = await addTask(host.database)
    const item = await expectJson<Item>(await forward(clerk, id, { to: { userId: clerk.userId } }))
    expect(item).toMatchObject({ id, version: 2, assignment: { claimedByUserId: clerk.userId } })
    expect(await newsOf(clerk)).toEqual([])
  })
})

describe('forwarding to a role', () => {
  test('assigns the role, and removes the claim and the former recipients', async () => {
    const manager = await addPerson(host, ['trade.manager'])
    const id = await addTask(host.database, { definition: approve })
    await claim(clerk, id)
    const before = await summary(colleague.request)
    const response = await forward(clerk, id, { to: { roleCode: 'trade.manager' }, expectedVersion: 2 })
    expect(response.status).toBe(204)
    expect((await page(manager.request, 'tab=tasks')).items).toMatchObject([
      { id, taskStatus: 'Open', version: 3, assignment: { claimedByUserId: null, isRoleAssigned: true } },
    ])
    expect(await tasksOf(clerk)).not.toContain(id)
    expect(await summary(colleague.request)).toEqual(before)
    expect((await claim(manager, id, 3)).status).toBe(200)
  })

  test('returns a claimed task to its own role', async () => {
    const id = await addTask(host.database)
    await claim(clerk, id)
    const response = forward(clerk, id, { to: { roleCode: 'trade.clerk' }, expectedVersion: 2 })
    expect(await expectJson<Item>(await response)).toMatchObject({ id, taskStatus: 'Open', version: 3 })
    expect(await tasksOf(colleague)).toContain(id)
    expect(await newsOf(colleague)).toHaveLength(1)
  })
})

describe('the people concerned', () => {
  test('are notified with the comment: the recipient, and the user who had the task', async () => {
    const source = sourceOf()
    const id = await addTask(host.database, { source, title: 'Collect SI-7' })
    await claim(clerk, id)
    const body = { to: { userId: colleague.userId }, expectedVersion: 2, comment: '  Please, I am away.\n' }
    expect((await forward(supervisor, id, body)).status).toBe(204)
    expect(await newsOf(colleague)).toMatchObject([
      {
        title: `Collect SI-7: forwarded to you by ${supervisor.subject}`,
        description: 'Please, I am away.',
        source,
      },
    ])
    expect(await newsOf(clerk)).toMatchObject([
      { title: `Collect SI-7: forwarded to ${colleague.subject} by ${supervisor.subject}` },
    ])
    expect(await newsOf(supervisor)).toEqual([])
  })

  test('get one new version each, in the commit of the change', async () => {
    const id = await addTask(host.database)
    const before = await versions(host.database)
    await forward(clerk, id, { to: { userId: colleague.userId }, comment: 'Yours' })
    const after = await versions(host.database)
    for (const { userId } of [clerk, colleague]) {
      expect(after.get(userId)).toBe((before.get(userId) ?? 0) + 1)
    }
    expect(host.announced).toHaveLength(1)
  })

  test('are in the audit event of the source', async () => {
    const source = sourceOf()
    const id = await addTask(host.database, { source })
    await forward(clerk, id, { to: { userId: colleague.userId }, comment: 'Yours' })
    expect(await auditOf(source.entityId)).toEqual([
      {
        module: 'work-center',
        target_kind: 'Document',
        target_type_code: 'trade.sales_invoice',
        action_code: 'work_center.task_forwarded',
        actor_user_id: clerk.userId,
        metadata: expect.objectContaining({ taskId: id, comment: 'Yours' }),
        changes: [{ fieldPath: 'claimedByUserId', oldValue: null, newValue: colleague.userId }],
      },
    ])
  })
})

test('a comment can have 1,000 code points', async () => {
  const id = await addTask(host.database)
  const response = forward(clerk, id, { to: { userId: colleague.userId }, comment: '🙂'.repeat(1_000) })
  expect((await response).status).toBe(204)
})

test('of 30 concurrent attempts to forward a task, one succeeds', async () => {
  const people = [clerk, colleague, supervisor]
  for (const to of [{ userId: clerk.userId }, { roleCode: 'trade.clerk' }]) {
    const id = await addTask(host.database)
    const attempts = Array.from({ length: 30 }, (_, n) => {
      const target = n % 2 === 0 ? to : { userId: people[n % 2]?.userId }
      return forward(people[n % 3] as Person, id, { to: target })
    })
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    expect(new Set(statuses.filter((status) => status >= 300))).toEqual(new Set([409]))
    const [stored] = await host.database.read((db) =>
      db.execute(sql`select version from work_center.tasks where id = ${id}::uuid`),
    )
    expect(stored).toEqual({ version: 2 })
  }
})

test('the recipients of a task are the users and roles to which it can be forwarded', async () => {
  const id = await addTask(host.database)
  const path = `/api/work-center/tasks/${id}/recipients`
  const recipients = await expectJson<{ users: readonly { userId: string }[]; roles: unknown }>(
    await clerk.request('GET', path),
  )
  expect(recipients.roles).toEqual([{ code: 'trade.clerk', name: 'trade.clerk' }])
  expect(recipients.users.map(({ userId }) => userId)).toEqual(
    expect.arrayContaining([clerk.userId, colleague.userId]),
  )
  expect(recipients.users.map(({ userId }) => userId)).not.toContain(supervisor.userId)
  expect((await supervisor.request('GET', path)).status).toBe(200)
  const stranger = await addPerson(host, ['trade.manager'])
  await expectRefusal(stranger.request('GET', path), 404, 'work_center.item_not_found')
})

test('a recipient outside the first 100 users is found by a part of the name', async () => {
  await addCrowd(host.database, 'trade.clerk')
  const path = `/api/work-center/tasks/${await addTask(host.database)}/recipients`
  const offered = async (q: string) => {
    const found = await expectJson<{ users: readonly { displayName: string }[]; roles: readonly unknown[] }>(
      await clerk.request('GET', `${path}?q=${q}`),
    )
    expect(found.roles).toHaveLength(1)
    return found.users.map(({ displayName }) => displayName)
  }
  const first = await offered('')
  expect(first).toHaveLength(100)
  expect(first).not.toContain('Member 119')
  expect(await offered('BER%20119')).toEqual(['Member 119'])
  expect(await offered('.*')).toEqual([])
  await expectRefusal(clerk.request('GET', `${path}?q=${'x'.repeat(201)}`), 400, 'request.invalid')
})
