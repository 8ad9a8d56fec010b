import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import { approve } from '../definitions.ts'
import { batch, done, page, send, summary } from '../harness.ts'
import { addNotification, addTask, entriesOf, farAhead, longAgo, sourceOf, versions } from '../items.ts'
import { addPerson, deactivate, takeRole } from '../people.ts'
import { clara, expectRefusal, found, host, max, mine, move, named, openAbsence, tasksOf } from './absence.ts'

openAbsence()

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

  test('reads a task for the one of two users who has claimed it', async () => {
    const carl = await addPerson(host, ['trade.clerk'])
    const id = await addTask(host.database)
    for (const person of [clara, carl]) await named(person, max)
    // The id of Carl comes after that of Clara, whose entry would otherwise be chosen.
    await done(carl.request, 'tasks', id, 'claim', { expectedVersion: 1 })
    expect(await done(max.request, 'tasks', id, 'read')).toMatchObject({
      isRead: true,
      onBehalfOf: { userId: carl.userId },
    })
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

  describe('claims nothing for a user whose substitution ends before the answer is read', () => {
    /** Ends the substitution of Clara during `claim`, which waits for the entries of the task at that time. */
    async function endedDuring<T>(id: string, claim: () => Promise<T>): Promise<T> {
      const held = await holdTransaction(host.database, (tx) =>
        tx.execute(sql`select from work_center.entries where item_id = ${id}::uuid for update`),
      )
      const answer = claim()
      await untilBlocked(host.database)
      await host.database.statement((tx) =>
        tx.execute(sql`
          update work_center.substitutions set until_at = clock_timestamp() where user_id = ${clara.userId}::uuid`),
      )
      await held.commit()
      return answer
    }
    const claimedBy = async (id: string) => {
      const [row] = await host.database.read((db) =>
        db.execute(sql`select version, claimed_by_user_id from work_center.tasks where id = ${id}::uuid`),
      )
      return row
    }

    test('with one task', async () => {
      const source = sourceOf()
      const id = await addTask(host.database, { source })
      await named(clara, max)
      const claim = () => send(max.request, 'tasks', id, 'claim', { expectedVersion: 1 })
      await expectRefusal(endedDuring(id, claim), 404, 'work_center.item_not_found')
      expect(await claimedBy(id)).toEqual({ version: 1, claimed_by_user_id: null })
      expect(await auditOf(source.entityId)).toEqual([])
    })

    test('and claims the other tasks of the batch', async () => {
      const boss = await addPerson(host, ['trade.manager'])
      const source = sourceOf()
      const ids = [
        await addTask(host.database),
        await addTask(host.database, {
          source,
          definition: approve,
          assignedTo: { roleCode: 'trade.manager' },
        }),
      ] as const
      await named(clara, max)
      await named(boss, max)
      const items = ids.map((id) => ({ kind: 'Task', id, expectedVersion: 1 }))
      const results = await endedDuring(ids[0], () => batch(max.request, { verb: 'claim', items }))
      expect(results).toMatchObject([
        { status: 404, problem: { code: 'work_center.item_not_found' } },
        { status: 200, item: { id: ids[1], onBehalfOf: { userId: boss.userId } } },
      ])
      expect(await claimedBy(ids[0])).toEqual({ version: 1, claimed_by_user_id: null })
      expect(await claimedBy(ids[1])).toEqual({ version: 2, claimed_by_user_id: boss.userId })
      expect(await auditOf(source.entityId)).toHaveLength(1)
    })
  })

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
