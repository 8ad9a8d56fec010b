import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectJson, type InboxHost, openInboxHost, refusalOf, send } from '../harness.ts'
import { addNotification, addTask, entriesOf, farAhead, versions } from '../items.ts'
import {
  addPerson,
  addRole,
  deactivate,
  type Person,
  setRoleActivity,
  takeRole,
  viewOrders,
} from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  await addRole(host.database, 'trade.clerk', ['document.trade.sales_invoice.view'])
  await setRoleActivity(host.database, 'trade.clerk', true)
  host.announced.length = 0
})

const changes = {
  'reading a notification': ['notifications', 'read', undefined],
  'dismissing a notification': ['notifications', 'dismiss', undefined],
  'restoring a notification': ['notifications', 'restore', undefined],
  'reading a task': ['tasks', 'read', undefined],
  'marking a task as unread': ['tasks', 'unread', undefined],
  'snoozing a task': ['tasks', 'snooze', { snoozedUntilUtc: farAhead }],
  'claiming a task': ['tasks', 'claim', { expectedVersion: 1 }],
} as const

const revocations = {
  'the account was deactivated': [() => deactivate(host.database, clerk), 403, 'auth.inactive'],
  'the permission to view the source was revoked': [
    () => addRole(host.database, 'trade.clerk', [viewOrders]),
    404,
    'work_center.item_not_found',
  ],
  'the role was revoked': [
    () => takeRole(host.database, clerk, 'trade.clerk'),
    404,
    'work_center.item_not_found',
  ],
  'the role was switched off': [
    () => setRoleActivity(host.database, 'trade.clerk', false),
    404,
    'work_center.item_not_found',
  ],
} as const

describe.each(Object.keys(changes) as (keyof typeof changes)[])('%s after a wait for a lock', (change) => {
  test.each(Object.keys(revocations) as (keyof typeof revocations)[])(
    'is refused and writes nothing if %s during the wait',
    async (lost) => {
      const [kind, action, body] = changes[change]
      const [revoke, status, code] = revocations[lost]
      const id =
        kind === 'tasks'
          ? await addTask(host.database)
          : await addNotification(host.database, { to: [clerk.userId] })
      const before = [await entriesOf(host.database, id), await versions(host.database)]
      const held = await holdTransaction(host.database, (tx) =>
        action === 'claim'
          ? tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`)
          : tx.execute(sql`select from work_center.entries where item_id = ${id}::uuid for update`),
      )
      const answer = send(clerk.request, kind, id, action, body)
      await untilBlocked(host.database)
      await revoke()
      await held.commit()
      expect(await refusalOf(await answer)).toMatchObject({ status, code })
      expect([await entriesOf(host.database, id), await versions(host.database)]).toEqual(before)
      expect(host.announced).toEqual([])
    },
  )
})

test('a claim that waited for a claim by another user is refused with a conflict', async () => {
  const colleague = await addPerson(host, ['trade.clerk'])
  const id = await addTask(host.database)
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`
      update work_center.tasks
      set claimed_by_user_id = ${colleague.userId}::uuid, status = 'InProgress', version = 2
      where id = ${id}::uuid`),
  )
  const answer = send(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  await untilBlocked(host.database)
  await held.commit()
  expect(await refusalOf(await answer)).toMatchObject({
    status: 409,
    code: 'work_center.task_claim_conflict',
  })
})

test('a user without an entry of a task does not wait for its lock', async () => {
  const stranger = await addPerson(host, ['trade.manager'])
  const id = await addTask(host.database)
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`),
  )
  const answer = await send(stranger.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  expect(answer.status).toBe(404)
  await held.commit()
})

const withoutRoles = ({ userId }: Person) =>
  sql`delete from core_audit.user_roles where user_id = ${userId}::uuid`

test.each<[string, (max: Person, id: string) => SQL]>([
  [
    'the substitution ends',
    (max) => sql`
      update work_center.substitutions
      set until_at = clock_timestamp()
      where substitute_user_id = ${max.userId}::uuid`,
  ],
  [
    'the user is deactivated',
    () => sql`update core_audit.users set is_active = false where id = ${clerk.userId}::uuid`,
  ],
  ['the user loses the role', () => withoutRoles(clerk)],
  ['the substitute loses the right to view the source', (max) => withoutRoles(max)],
  [
    'another user claims the task',
    (_max, id) => sql`update work_center.entries set is_visible = false where item_id = ${id}::uuid`,
  ],
])('a substitute who waits for a lock changes nothing if %s during the wait', async (what, happens) => {
  const max = await addPerson(host, ['trade.auditor'])
  const [fromUtc, untilUtc] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const body = { userId: max.userId, fromUtc, untilUtc }
  await expectJson(await clerk.request('PUT', '/api/me/substitution', { body }))
  // Inactive users have no role either, so only a task of the user themselves depends on their activity.
  const assignedTo =
    what === 'the user is deactivated' ? { userId: clerk.userId } : { roleCode: 'trade.clerk' }
  const id = await addTask(host.database, { assignedTo })
  const readAts = async () => (await entriesOf(host.database, id)).map(({ read_at }) => read_at)
  const before = await versions(host.database)
  const held = await holdTransaction(host.database, async (tx) => {
    await tx.execute(sql`select from work_center.entries where item_id = ${id}::uuid for update`)
    await tx.execute(happens(max, id))
  })
  const answer = send(max.request, 'tasks', id, 'read')
  await untilBlocked(host.database)
  await held.commit()
  expect(await refusalOf(await answer)).toMatchObject({ status: 404, code: 'work_center.item_not_found' })
  expect(new Set(await readAts())).toEqual(new Set([null]))
  expect(await versions(host.database)).toEqual(before)
})
