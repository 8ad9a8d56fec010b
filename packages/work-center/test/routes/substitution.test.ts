import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeEach, describe, expect, test } from 'vitest'
import { createClock } from '../../src/clock.ts'
import type { Item } from '../../src/contract.ts'
import type { VersionChanges } from '../../src/inbox/version-changes.ts'
import { definitions } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'
import { expectJson, refusalOf } from '../harness.ts'
import { addTask, versions } from '../items.ts'
import {
  addCrowd,
  addPerson,
  addRole,
  deactivate,
  giveRole,
  type Person,
  takeRole,
  viewInvoices,
} from '../people.ts'
import {
  clara,
  day,
  expectRefusal,
  found,
  host,
  inDays,
  max,
  mine,
  move,
  name,
  named,
  of,
  openAbsence,
  supervisor,
  tasksOf,
} from './absence.ts'

openAbsence()

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

  test('finds a user outside the first 100 by a part of the name, and always sees the current substitute', async () => {
    await addRole(host.database, 'trade.crowd', [])
    await addCrowd(host.database, 'trade.crowd')
    await giveRole(host.database, clara, 'trade.crowd')
    const offered = async (q: string) =>
      (
        await expectJson<{ users: readonly { userId: string; displayName: string }[] }>(
          await clara.request('GET', `${mine}/users?q=${q}`),
        )
      ).users
    await named(clara, max)
    const first = await offered('')
    expect(first).toHaveLength(101)
    expect(first.map(({ userId }) => userId)).toContain(max.userId)
    const found = (await offered('BER%20119')).map(({ displayName }) => displayName)
    expect(found).toEqual(['Member 119', max.subject])
    const response = await clara.request('GET', `${mine}/users?q=${'x'.repeat(201)}`)
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'request.invalid' })
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

  test('if the substitute has a substitute in this period, but not before or after it, or an ended one', async () => {
    const other = await addPerson(host, ['trade.clerk'])
    await named(max, other, -2, 1)
    await move('until_at', -0.05)
    await named(clara, max, -1, 2)
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

  test.each([
    ['names', 'nobody', (by: Person) => name(by, max, -1, 7, of(clara))],
    ['ends', 'Max', (by: Person) => by.request('DELETE', of(clara))],
  ])('who %s a substitute, and whose role is revoked during the wait, changes nothing', async (...row) => {
    const [, before, change] = row
    const stored = before === 'nobody' ? null : await named(clara, max)
    const other = await addPerson(host, ['trade.supervisor'])
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.work-center.substitutions', 0))`,
      ),
    )
    const answer = change(other)
    await untilBlocked(host.database)
    await takeRole(host.database, other, 'trade.supervisor')
    await held.commit()
    await expectRefusal(answer, 403, 'permission.denied')
    expect(await found(clara)).toEqual(stored)
  })
})

test('of ten requests that end a substitution at once, one adds an event to the timeline', async () => {
  await named(clara, max)
  const answers = await Promise.all(Array.from({ length: 10 }, () => clara.request('DELETE', mine)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204))
  const events = await host.database.read((db) =>
    db.execute(sql`
      select from core_audit.audit_events
      where target_id = ${clara.userId}::uuid and action_code = 'users.substitution_ended'`),
  )
  expect(events).toHaveLength(1)
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

test('a repeated request changes no version, and adds nothing to the timeline', async () => {
  const body = { userId: max.userId, fromUtc: inDays(-1), untilUtc: inDays(7) }
  const put = async () => expectJson<unknown>(await clara.request('PUT', mine, { body }))
  const eventsOf = ({ userId }: Person) =>
    host.database.read((db) =>
      db.execute(sql`select action_code from core_audit.audit_events where target_id = ${userId}::uuid`),
    )
  const first = await put()
  const before = await versions(host.database)
  expect(await put()).toEqual(first)
  expect(await eventsOf(clara)).toEqual([{ action_code: 'users.substitution_set' }])
  expect(await versions(host.database)).toEqual(before)
})

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
    const dueInHours = async () => {
      const [row] = await host.database.read((db) =>
        db.execute<{ hours: number }>(sql`
          select (extract(epoch from ${clock().dueAt ?? sql`null::timestamptz`} - statement_timestamp()) / 3600)::float8 as hours`),
      )
      return Math.round(row?.hours ?? 0)
    }
    expect(await dueInHours()).toBe(24)
    await move('from_at', -0.1)
    await tick()
    expect(await dueInHours()).toBe(48)
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
