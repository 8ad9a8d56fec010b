import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import type { Item, Substitution } from '../../src/contract.ts'
import type { VersionChanges } from '../../src/inbox/version-changes.ts'
import { supervise } from '../../src/permissions.ts'
import { approve, definitions } from '../definitions.ts'
import { administratorRoleCodes, clear, config } from '../desk.ts'
import {
  done,
  expectJson,
  type InboxHost,
  idsOf,
  openInboxHost,
  page,
  patient,
  refusalOf,
  send,
  summary,
} from '../harness.ts'
import { addNotification, addTask, entriesOf, farAhead, longAgo, sourceOf, versions } from '../items.ts'
import { addPerson, addRole, deactivate, type Person, takeRole, viewInvoices } from '../people.ts'

let host: InboxHost
/** Clara is on leave, and Max substitutes her: he may view invoices, but does not have her role. */
let clara: Person
let max: Person
let supervisor: Person
beforeAll(async () => {
  host = await openInboxHost({ database: patient })
  await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
  supervisor = await addPerson(host, ['trade.supervisor'])
})
afterAll(() => host.close())
beforeEach(async () => {
  await clear(host.database)
  await host.database.statement((tx) => tx.execute(sql`delete from work_center.substitutions`))
  clara = await addPerson(host, ['trade.clerk'])
  max = await addPerson(host, ['trade.auditor'])
  host.announced.length = 0
})

const day = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString()
const mine = '/api/me/substitution'
const of = ({ userId }: Person) => `/api/security/users/${userId}/substitution`

const name = (by: Person, substitute: Person, from = -1, until = 7, path = mine) =>
  by.request('PUT', path, {
    body: { userId: substitute.userId, fromUtc: inDays(from), untilUtc: inDays(until) },
  })
const named = async (...call: Parameters<typeof name>): Promise<Substitution> =>
  expectJson<Substitution>(await name(...call))
const found = async (by: Person, path = mine) => expectJson<unknown>(await by.request('GET', path))
const tasksOf = (person: Person, query = 'tab=tasks') => idsOf(person.request, query)

async function expectRefusal(response: Promise<Response>, status: number, code: string): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({ status, code })
}

describe('a user', () => {
  test('names, replaces and ends their substitute', async () => {
    expect(await found(clara)).toBe(null)
    const first = await named(clara, max)
    expect(first).toEqual({ userId: max.userId, fromUtc: first.fromUtc, untilUtc: first.untilUtc })
    const other = await addPerson(host, ['trade.clerk'])
    const second = await named(clara, other, 1, 2)
    expect(await found(clara)).toEqual(second)
    for (let n = 0; n < 2; n += 1) expect((await clara.request('DELETE', mine)).status).toBe(204)
    expect(await found(clara)).toBe(null)
  })

  test('is offered the users that share a role with them, and their current substitute', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    await named(clara, max)
    const { users } = await expectJson<{ users: readonly { userId: string }[] }>(
      await clara.request('GET', `${mine}/users`),
    )
    const ids = users.map(({ userId }) => userId)
    expect(ids).toEqual(expect.arrayContaining([colleague.userId, max.userId]))
    expect(ids).not.toContain(clara.userId)
    expect(ids).not.toContain(supervisor.userId)
  })

  test('without a user record has no substitute, and gets a record when they name one', async () => {
    const stranger: Person = {
      userId: '',
      subject: 'stranger',
      request: await host.as({ subject: 'stranger' }),
    }
    expect(await found(stranger)).toBe(null)
    expect((await stranger.request('DELETE', mine)).status).toBe(204)
    expect(await named(stranger, max)).toMatchObject({ userId: max.userId })
  })
})

describe('a substitution is refused', () => {
  test('if the substitute is unknown, inactive or the user themselves', async () => {
    const inactive = await addPerson(host, ['trade.clerk'])
    await deactivate(host.database, inactive)
    const nobody = { ...max, userId: '00000000-0000-7000-8000-000000000001' }
    for (const substitute of [inactive, nobody, clara]) {
      await expectRefusal(name(clara, substitute), 409, 'work_center.recipient_not_eligible')
    }
  })

  test.each([
    ['has ended', -3, -1],
    ['ends before it starts', 2, 1],
    ['is longer than 180 days', 0, 180.01],
  ])('if its period %s', async (_what, from, until) => {
    const response = await name(clara, max, from, until)
    expect(await refusalOf(response)).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'untilUtc' }],
    })
  })

  test('can have 180 days', async () => {
    const fromUtc = inDays(0)
    const untilUtc = new Date(Date.parse(fromUtc) + 180 * day).toISOString()
    const body = { userId: max.userId, fromUtc, untilUtc }
    expect(await expectJson(await clara.request('PUT', mine, { body }))).toEqual(body)
  })

  test('if the substitute has a substitute in this period, but not before or after it', async () => {
    const other = await addPerson(host, ['trade.clerk'])
    await named(max, other, 10, 20)
    await expectRefusal(name(clara, max, 0, 11), 409, 'work_center.substitution_chain')
    await named(clara, max, 0, 9)
    await named(clara, max, 21, 30)
    expect((await max.request('DELETE', mine)).status).toBe(204)
    await named(clara, max, 0, 11)
  })

  test('for one of two users who name each other at the same moment', async () => {
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.work-center.substitutions', 0))`,
      ),
    )
    const answers = [name(clara, max), name(max, clara)]
    await untilBlocked(host.database)
    await held.commit()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
  })

  test('for half of 30 users who name each other in pairs at the same moment', async () => {
    const people = await Promise.all(Array.from({ length: 30 }, () => addPerson(host, ['trade.clerk'])))
    const answers = people.map((one, index) => name(one, people[index ^ 1] as Person))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    for (let pair = 0; pair < 30; pair += 2) {
      expect(statuses.slice(pair, pair + 2).toSorted()).toEqual([200, 409])
    }
  })
})

describe('a supervisor', () => {
  test('names and ends the substitute of another user', async () => {
    const made = await named(supervisor, max, -1, 7, of(clara))
    expect(await found(clara)).toEqual(made)
    expect(await found(supervisor, of(clara))).toEqual(made)
    expect((await supervisor.request('DELETE', of(clara))).status).toBe(204)
    expect(await found(supervisor, of(clara))).toBe(null)
  })

  test('is refused for unknown users, and others for lack of permission', async () => {
    const nobody = { ...max, userId: '00000000-0000-7000-8000-000000000001' }
    for (const path of [of(nobody), '/api/security/users/no-id/substitution']) {
      await expectRefusal(supervisor.request('GET', path), 404, 'users.not_found')
      await expectRefusal(name(supervisor, max, -1, 7, path), 404, 'users.not_found')
      await expectRefusal(supervisor.request('DELETE', path), 404, 'users.not_found')
    }
    await expectRefusal(clara.request('GET', of(max)), 403, 'permission.denied')
    await expectRefusal(name(clara, max, -1, 7, of(max)), 403, 'permission.denied')
    await expectRefusal(clara.request('DELETE', of(max)), 403, 'permission.denied')
  })

  test('whose role is revoked during the wait changes nothing', async () => {
    const other = await addPerson(host, ['trade.supervisor'])
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.work-center.substitutions', 0))`,
      ),
    )
    const answer = name(other, max, -1, 7, of(clara))
    await untilBlocked(host.database)
    await takeRole(host.database, other, 'trade.supervisor')
    await held.commit()
    await expectRefusal(answer, 403, 'permission.denied')
    expect(await found(clara)).toBe(null)
  })
})

test('changes are in the timeline of the user, with their author', async () => {
  await named(supervisor, max, -1, 7, of(clara))
  await clara.request('DELETE', mine)
  const events = await host.database.read((db) =>
    db.execute(sql`
      select module, target_kind, action_code, actor_user_id, changes
      from core_audit.audit_events where target_id = ${clara.userId}::uuid order by id`),
  )
  const fields = ['substituteUserId', 'substituteFromUtc', 'substituteUntilUtc']
  expect(events).toMatchObject([
    { module: 'core-audit', target_kind: 'User', action_code: 'users.substitution_set' },
    { action_code: 'users.substitution_ended', actor_user_id: clara.userId },
  ])
  for (const { changes } of events as unknown as { changes: { fieldPath: string }[] }[]) {
    expect(changes.map(({ fieldPath }) => fieldPath)).toEqual(fields)
  }
})

describe('the substitute sees', () => {
  test('assigned, claimed and unclaimed tasks, marked with the user, in counts and lists', async () => {
    const assigned = await addTask(host.database, {
      assignedTo: { userId: clara.userId },
      dueAtUtc: longAgo,
    })
    const claimed = await addTask(host.database)
    const open = await addTask(host.database)
    await done(clara.request, 'tasks', claimed, 'claim', { expectedVersion: 1 })
    await addNotification(host.database, { to: [clara.userId] })
    expect(await tasksOf(max)).toEqual([])
    await named(clara, max)
    const { items } = await page(max.request, 'tab=tasks')
    expect(items.map(({ id }) => id)).toEqual([open, claimed, assigned])
    const onBehalfOf = { userId: clara.userId, displayName: clara.subject }
    for (const item of items) expect(item.onBehalfOf).toEqual(onBehalfOf)
    expect(await summary(max.request)).toMatchObject({
      attentionCount: 3,
      openTaskCount: 3,
      overdueTaskCount: 1,
      notificationCount: 0,
    })
    expect(await tasksOf(clara)).toEqual([open, claimed, assigned])
    for (const item of (await page(clara.request, 'tab=tasks')).items) expect(item.onBehalfOf).toBe(null)
    const first = await page(max.request, 'tab=tasks&limit=2')
    const rest = await page(max.request, `tab=tasks&limit=2&cursor=${first.nextCursor}`)
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual([open, claimed, assigned])
  })

  test('no task whose source they may not view themselves', async () => {
    await named(clara, max)
    await addTask(host.database, { source: sourceOf('crm.ticket') })
    expect(await tasksOf(max)).toEqual([])
    expect(await summary(max.request)).toMatchObject({ openTaskCount: 0 })
  })

  test('no task for which the user lacks the role, and none of an inactive user', async () => {
    await named(clara, max)
    const [open, own] = [
      await addTask(host.database),
      await addTask(host.database, { assignedTo: { userId: clara.userId } }),
    ]
    expect(await tasksOf(max)).toEqual([own, open])
    await takeRole(host.database, clara, 'trade.clerk')
    expect(await tasksOf(max)).toEqual([own])
    await deactivate(host.database, clara)
    expect(await tasksOf(max)).toEqual([])
  })

  test('each task once: as their own if they have it, otherwise for one of several users', async () => {
    const [other, carl] = [await addPerson(host, ['trade.clerk']), await addPerson(host, ['trade.clerk'])]
    const open = await addTask(host.database)
    for (const substituted of [clara, other]) {
      await named(substituted, max)
      await named(substituted, max)
    }
    expect((await page(max.request, 'tab=tasks')).items).toMatchObject([
      { id: open, onBehalfOf: { userId: [clara.userId, other.userId].toSorted()[0] } },
    ])
    expect(await summary(max.request)).toMatchObject({ openTaskCount: 1, attentionCount: 1 })
    await named(clara, carl)
    expect((await page(carl.request, 'tab=tasks')).items).toMatchObject([{ id: open, onBehalfOf: null }])
    expect(await summary(carl.request)).toMatchObject({ openTaskCount: 1 })
  })

  test('nothing of the users that the user substitutes', async () => {
    const boss = await addPerson(host, ['trade.clerk'])
    await named(boss, clara)
    await named(clara, max)
    const own = await addTask(host.database, { assignedTo: { userId: boss.userId } })
    expect(await tasksOf(clara)).toEqual([own])
    expect(await tasksOf(max)).toEqual([])
  })

  test('nothing before the start and after the end, by the clock of the database', async () => {
    const id = await addTask(host.database)
    await named(clara, max, 1, 2)
    expect(await tasksOf(max)).toEqual([])
    await move('from_at', -1)
    expect(await tasksOf(max)).toEqual([id])
    await move('until_at', -0.5)
    expect(await tasksOf(max)).toEqual([])
    expect(await found(clara)).toBe(null)
    await expectRefusal(send(max.request, 'tasks', id, 'read'), 404, 'work_center.item_not_found')
    await expectRefusal(
      send(max.request, 'tasks', id, 'claim', { expectedVersion: 1 }),
      404,
      'work_center.item_not_found',
    )
  })
})

/** Moves the start or the end of all substitutions to some days from now. */
const move = (column: 'from_at' | 'until_at', days: number) =>
  host.database.statement((tx) =>
    tx.execute(sql`
      update work_center.substitutions
      set ${sql.raw(column)} = clock_timestamp() + make_interval(secs => ${days * 86_400}),
        changes_at = least(changes_at, clock_timestamp() + make_interval(secs => ${days * 86_400}))`),
  )

describe('the substitute', () => {
  test('reads and snoozes a task for the user', async () => {
    const id = await addTask(host.database)
    await named(clara, max)
    expect(await done(max.request, 'tasks', id, 'read')).toMatchObject({ id, isRead: true })
    const body = { snoozedUntilUtc: farAhead }
    const item = await done(max.request, 'tasks', id, 'snooze', body)
    expect(item).toMatchObject({ snoozedUntilUtc: farAhead, onBehalfOf: { userId: clara.userId } })
    expect((await page(clara.request, 'tab=tasks')).items).toMatchObject([
      { id, isRead: true, snoozedUntilUtc: farAhead, onBehalfOf: null },
    ])
    const entries = await entriesOf(host.database, id)
    expect(entries.map((entry) => entry.user_id)).not.toContain(max.userId)
  })

  test('claims a task for the user, whose task it becomes, and the audit event names both', async () => {
    const source = sourceOf()
    const id = await addTask(host.database, { source })
    await named(clara, max)
    const item = await done(max.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    expect(item).toMatchObject({
      taskStatus: 'InProgress',
      assignment: { claimedByUserId: clara.userId },
      onBehalfOf: { userId: clara.userId },
    })
    expect(await done(max.request, 'tasks', id, 'claim', { expectedVersion: 1 })).toEqual(item)
    expect(await auditOf(source.entityId)).toEqual([
      {
        action_code: 'work_center.task_claimed',
        actor_user_id: max.userId,
        metadata: expect.objectContaining({ taskId: id, onBehalfOfUserId: clara.userId }),
      },
    ])
  })

  test('forwards a task of the user, who is notified, and the audit event names both', async () => {
    const source = sourceOf()
    const id = await addTask(host.database, { source, definition: approve })
    await done(clara.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    await named(clara, max)
    const manager = await addPerson(host, ['trade.manager'])
    const body = { expectedVersion: 2, to: { userId: manager.userId }, comment: null }
    expect((await send(max.request, 'tasks', id, 'forward', body)).status).toBe(204)
    expect(await tasksOf(manager)).toEqual([id])
    expect((await page(clara.request, 'tab=notifications')).items).toHaveLength(1)
    expect(await auditOf(source.entityId)).toMatchObject([
      { actor_user_id: max.userId, metadata: { onBehalfOfUserId: clara.userId } },
    ])
  })

  test('claims a task as their own if they have received it themselves', async () => {
    const carl = await addPerson(host, ['trade.clerk'])
    const id = await addTask(host.database)
    await named(clara, carl)
    const item = await done(carl.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    expect(item).toMatchObject({ assignment: { claimedByUserId: carl.userId }, onBehalfOf: null })
    expect(await tasksOf(clara)).toEqual([])
  })

  test.each([
    ['reads', 'read', undefined],
    ['snoozes', 'snooze', { snoozedUntilUtc: farAhead }],
    ['claims', 'claim', { expectedVersion: 1 }],
    ['forwards', 'forward', { expectedVersion: 1, to: { roleCode: 'trade.clerk' }, comment: null }],
  ] as const)(
    '%s nothing if the substitution ends during the wait for the task',
    async (_what, deed, body) => {
      const id = await addTask(host.database)
      await named(clara, max)
      const held = await holdTransaction(host.database, (tx) =>
        tx.execute(sql`
        select from work_center.tasks t join work_center.entries e on e.item_id = t.id where t.id = ${id}::uuid for update`),
      )
      const answer = send(max.request, 'tasks', id, deed, body)
      await untilBlocked(host.database)
      await move('until_at', -0.5)
      await held.commit()
      await expectRefusal(answer, 404, 'work_center.item_not_found')
    },
  )

  test('gets a version for each change that they see, and none for others', async () => {
    await named(clara, max)
    const version = async () => (await versions(host.database)).get(max.userId) ?? 0
    const start = await version()
    const id = await addTask(host.database)
    expect(await version()).toBe(start + 1)
    await addTask(host.database, { source: sourceOf('crm.ticket') })
    expect(await version()).toBe(start + 1)
    await done(clara.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    expect(await version()).toBe(start + 2)
    await done(clara.request, 'tasks', id, 'read')
    expect(await version()).toBe(start + 3)
    expect((await clara.request('DELETE', mine)).status).toBe(204)
    expect(await version()).toBe(start + 4)
    await addTask(host.database)
    expect(await version()).toBe(start + 4)
  })
})

const auditOf = async (entityId: string) =>
  host.database.read((db) =>
    db.execute(sql`
      select action_code, actor_user_id, metadata
      from core_audit.audit_events where target_id = ${entityId}::uuid`),
  )

describe('the clock', () => {
  const announced: VersionChanges[] = []
  const clock = () =>
    createClock({
      database: host.database,
      ...{ administratorRoleCodes, config, definitions },
      announce: (changes) => announced.push(changes),
    })
  const tick = () => clock().runOnce(new AbortController().signal)
  beforeEach(() => {
    announced.length = 0
  })

  test('raises the version of the substitute at the start and at the end, and deletes the substitution', async () => {
    await named(clara, max, 1, 2)
    const before = (await versions(host.database)).get(max.userId) ?? 0
    await tick()
    expect(announced).toEqual([])
    await move('from_at', -0.1)
    await tick()
    await tick()
    expect(announced).toEqual([new Map([[max.userId, before + 1]])])
    await move('until_at', -0.05)
    await tick()
    await tick()
    expect(announced.slice(1)).toEqual([new Map([[max.userId, before + 2]])])
    const rows = await host.database.read((db) => db.execute(sql`select from work_center.substitutions`))
    expect(rows).toEqual([])
  })

  test('is due at the next start or end', async () => {
    await named(clara, max, 1, 2)
    const [row] = await host.database.read((db) =>
      db.execute<{ hours: number }>(sql`
        select (extract(epoch from ${clock().dueAt ?? sql`null::timestamptz`} - statement_timestamp()) / 3600)::float8 as hours`),
    )
    expect(row?.hours).toBeGreaterThan(23)
    expect(row?.hours).toBeLessThan(25)
  })

  test('waits for a change in progress, whose author could not know the new substitute', async () => {
    const id = await addTask(host.database)
    await named(clara, max, 1, 2)
    await move('from_at', -0.1)
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(
        sql`select pg_advisory_xact_lock_shared(hashtextextended('vertical-kit.work-center.substitutions', 0))`,
      ),
    )
    const ticking = tick()
    await untilBlocked(host.database)
    expect(announced).toEqual([])
    await held.commit()
    await ticking
    expect(announced).toHaveLength(1)
    expect(await tasksOf(max)).toEqual([id])
  })
})

test('a task of an absent user is not invisible while a substitute may view its source', async () => {
  const invisible = async () =>
    (
      await expectJson<{ items: readonly Item[] }>(
        await supervisor.request('GET', '/api/work-center/team?invisible=true'),
      )
    ).items.map(({ id }) => id)
  const id = await addTask(host.database, { assignedTo: { userId: clara.userId } })
  await addRole(host.database, 'trade.clerk', [])
  expect(await invisible()).toEqual([id])
  await named(clara, max)
  expect(await invisible()).toEqual([])
  expect(await tasksOf(max)).toEqual([id])
  await addRole(host.database, 'trade.clerk', [
    viewInvoices,
    'document.trade.sales_order.view',
    'document.crm.ticket.view',
  ])
})
