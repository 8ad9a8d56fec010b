import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Item } from '../../src/contract.ts'
import { on } from '../../src/event-handlers/event-handler.ts'
import { type Administration, openAdministration } from '../administration.ts'
import { approve, collectPayment } from '../definitions.ts'
import { append, clear, makeProcessor, type Processor, tasksOf } from '../desk.ts'
import { done, type InboxHost, idsOf, openInboxHost, refusalOf, send, summary } from '../harness.ts'
import { addTask, closeTask, entriesOf, sourceOf, versions } from '../items.ts'
import { addPerson, addRole, giveRole, type Person, setRoleActivity, takeRole } from '../people.ts'

let host: InboxHost
let ask: Administration['ask']
let roleId: Administration['roleId']
let setRoles: Administration['setRoles']
let processor: Processor
let clerk: Person
let other: Person
let third: Person
let bystander: Person
beforeAll(async () => {
  host = await openInboxHost()
  ;({ ask, roleId, setRoles } = await openAdministration(host))
  clerk = await addPerson(host, ['trade.clerk'])
  other = await addPerson(host, ['trade.clerk'])
  third = await addPerson(host, ['trade.clerk'])
  bystander = await addPerson(host, ['trade.manager'])
  processor = makeProcessor(host.database, [])
})
afterAll(() => host.close())
beforeEach(() => clear(host.database))

/** Returns the users with a version that has grown by one since `before`. Fails if a version has changed otherwise. */
async function raisedSince(before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const raised: string[] = []
  for (const [user, version] of await versions(host.database)) {
    const grown = version - (before.get(user) ?? 0)
    expect([0, 1]).toContain(grown)
    if (grown === 1) raised.push(user)
  }
  return raised.toSorted()
}
const users = (...people: readonly Person[]) => people.map(({ userId }) => userId).toSorted()
const claim = async (person: Person, id: string): Promise<Item> => {
  const task = (await tasksOf(host.database)).find((stored) => stored.id === id)
  return done(person.request, 'tasks', id, 'claim', { expectedVersion: task?.version })
}
/** Locks the entry of `other`. A claim of the task then waits for it, after it has checked the rights of its user. */
const holdEntry = (id: string) =>
  holdTransaction(host.database, (tx) =>
    tx.execute(sql`
      select from work_center.entries
      where item_id = ${id}::uuid and user_id = ${other.userId}::uuid
      for update`),
  )

describe('a claimed task is given back to the remaining members of its role when the claimer', () => {
  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['loses the role', () => setRoles(clerk), () => setRoles(clerk, 'trade.clerk')],
    [
      'is deactivated',
      () => ask('POST', `/users/${clerk.userId}/deactivate`),
      () => ask('POST', `/users/${clerk.userId}/reactivate`),
    ],
  ])('%s', async (_how, take, give) => {
    const id = await addTask(host.database)
    const closed = await addTask(host.database)
    await claim(clerk, id)
    await claim(clerk, closed)
    await closeTask(host.database, closed)
    await takeRole(host.database, third, 'trade.clerk')
    expect(await idsOf(other.request)).toEqual([])
    const before = await versions(host.database)
    await take()
    await processor.run()
    const stored = (await tasksOf(host.database)).find((task) => task.id === id)
    expect(stored).toMatchObject({ status: 'Open', version: 3, claimed_by_user_id: null })
    expect(await idsOf(other.request)).toEqual([id])
    expect(await raisedSince(before)).toEqual(users(clerk, other))
    // All entries have the role again, including the entry of the former claimer.
    const role = await roleId('trade.clerk')
    const entries = await entriesOf(host.database, id)
    expect(entries.map((entry) => entry.role_id)).toEqual([role, role, role])
    expect((await tasksOf(host.database)).find((task) => task.id === closed)).toMatchObject({
      status: 'Completed',
      claimed_by_user_id: clerk.userId,
    })
    expect((await claim(other, id)).assignment?.claimedByUserId).toBe(other.userId)
    await give()
    await giveRole(host.database, third, 'trade.clerk')
    await processor.run()
    expect(await idsOf(clerk.request)).toEqual([])
  })

  test('loses the role because it is switched off, and all members see the task once the role is on again', async () => {
    const id = await addTask(host.database)
    await claim(clerk, id)
    const role = await roleId('trade.clerk')
    const before = await versions(host.database)
    await ask('POST', `/roles/${role}/deactivate`)
    await processor.run()
    expect(await tasksOf(host.database)).toMatchObject([{ status: 'Open', claimed_by_user_id: null }])
    expect(await raisedSince(before)).toEqual(users(clerk, other, third))
    expect(await idsOf(other.request)).toEqual([])
    await ask('POST', `/roles/${role}/reactivate`)
    await processor.run()
    for (const person of [clerk, other, third]) expect(await idsOf(person.request)).toEqual([id])
  })
})

test('a claim raises no version of former members of the role', async () => {
  const id = await addTask(host.database)
  await takeRole(host.database, third, 'trade.clerk')
  await claim(clerk, id)
  expect(await versions(host.database)).toEqual(
    new Map([
      [clerk.userId, 2],
      [other.userId, 2],
      [third.userId, 1],
    ]),
  )
  await giveRole(host.database, third, 'trade.clerk')
})

test('a claimer that still has the role keeps the claim', async () => {
  const id = await addTask(host.database)
  await claim(clerk, id)
  const before = await versions(host.database)
  await setRoles(clerk, 'trade.clerk', 'trade.auditor')
  await processor.run()
  expect(await tasksOf(host.database)).toMatchObject([{ status: 'InProgress', version: 2 }])
  expect(await raisedSince(before)).toEqual(users(clerk))
  await setRoles(clerk, 'trade.clerk')
})

test('a change to the permissions of a role raises the version of each member with items', async () => {
  await addTask(host.database, { source: sourceOf('trade.sales_order') })
  const role = await roleId('trade.clerk')
  const { permissions } = await ask('GET', `/roles/${role}`)
  const before = await versions(host.database)
  await ask('PUT', `/roles/${role}/permissions`, { permissions: permissions.slice(0, 1) })
  await processor.run()
  expect(await raisedSince(before)).toEqual(users(clerk, other, third))
  expect(processor.announced.at(-1)?.size).toBe(3)
  // Restore the permissions directly. The API would reject them, because no package of this host registers them.
  await addRole(host.database, 'trade.clerk', permissions)
})

test('an access change raises the version of a user whose only item is completed', async () => {
  await closeTask(host.database, await addTask(host.database, { assignedTo: { userId: clerk.userId } }))
  const before = await versions(host.database)
  await setRoles(clerk)
  await processor.run()
  expect(await raisedSince(before)).toEqual(users(clerk))
  await setRoles(clerk, 'trade.clerk')
  await processor.run()
})

test('an access change raises no version of users without items', async () => {
  await setRoles(bystander, 'trade.manager', 'trade.auditor')
  await processor.run()
  expect(await versions(host.database)).toEqual(new Map())
})

test('an access change that causes no lost claim changes only versions', async () => {
  const id = await addTask(host.database)
  await claim(clerk, id)
  await setRoles(clerk)
  await processor.run()
  const before = await entriesOf(host.database, id)
  await setRoles(clerk, 'trade.clerk')
  await processor.run()
  expect(await tasksOf(host.database)).toMatchObject([{ status: 'Open', version: 3 }])
  expect(await entriesOf(host.database, id)).toEqual(before)
})

test('a claim in progress during the revocation of the role is given back', async () => {
  const id = await addTask(host.database)
  const held = await holdEntry(id)
  const claiming = send(clerk.request, 'tasks', id, 'claim', { expectedVersion: 1 })
  await untilBlocked(host.database, 1)
  await setRoles(clerk)
  const giving = processor.run()
  await untilBlocked(host.database, 2)
  await held.commit()
  expect((await claiming).status).toBe(200)
  await giving
  expect(await tasksOf(host.database)).toMatchObject([{ status: 'Open', claimed_by_user_id: null }])
  expect(await idsOf(other.request)).toEqual([id])
  expect(
    (await refusalOf(await send(clerk.request, 'tasks', id, 'claim', { expectedVersion: 3 }))).code,
  ).toBe('work_center.item_not_found')
  await setRoles(clerk, 'trade.clerk')
  await processor.run()
})

test('when access changes and task writes are handled together, no task is locked before the claims in progress end', async () => {
  const claimed = await addTask(host.database)
  const beside = await addTask(host.database, { deduplicationKey: 'beside' })
  await claim(third, beside)
  const held = await holdEntry(claimed)
  // The claim has locked its task and the claims lock.
  const claiming = send(clerk.request, 'tasks', claimed, 'claim', { expectedVersion: 1 })
  await untilBlocked(host.database, 1)
  await setRoles(clerk)
  await setRoles(third)
  await append(host.database, { subject: 'thing/1' })
  const completing = makeProcessor(host.database, [
    on({ type: 'trade.happened', schema: v.object({}) }, (inbox) =>
      inbox.completeTask(collectPayment, 'beside'),
    ),
  ])
  const processing = completing.run()
  await untilBlocked(host.database, 2)
  // No transaction has locked the task that is about to be completed.
  await host.database.transaction((tx) =>
    tx.execute(sql`select from work_center.tasks where id = ${beside}::uuid for update nowait`),
  )
  await held.commit()
  expect((await claiming).status).toBe(200)
  await processing
  expect(completing.logged).toEqual([])
  expect(completing.announced).toHaveLength(1)
  const tasks = new Map((await tasksOf(host.database)).map((task) => [task.id, task]))
  expect(tasks.get(claimed)).toMatchObject({ status: 'Open', claimed_by_user_id: null })
  // The task is first given back, and then completed.
  expect(tasks.get(beside)).toMatchObject({ status: 'Completed', claimed_by_user_id: null, version: 4 })
  await setRoles(clerk, 'trade.clerk')
  await setRoles(third, 'trade.clerk')
  await processor.run()
})

test('lost claims of a user and of members of a role are given back together, and each task once', async () => {
  const mine = await addTask(host.database)
  const theirs = await addTask(host.database, {
    assignedTo: { roleCode: 'trade.manager' },
    definition: approve,
  })
  await claim(clerk, mine)
  await claim(bystander, theirs)
  const role = await roleId('trade.manager')
  await setRoles(clerk)
  await ask('POST', `/roles/${role}/deactivate`)
  const before = await versions(host.database)
  await processor.run()
  expect((await tasksOf(host.database)).map((task) => [task.status, task.version])).toEqual([
    ['Open', 3],
    ['Open', 3],
  ])
  expect(await raisedSince(before)).toEqual(users(bystander, clerk, other, third))
  await ask('POST', `/roles/${role}/reactivate`)
  await setRoles(clerk, 'trade.clerk')
  await processor.run()
})

test('the delivery of an access change with invalid data fails', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      values (${newId()}::uuid, 'security.access.changed', 'core-audit', 'security/role/1', 1, '{"roleId": "1"}')`),
  )
  const strict = makeProcessor(host.database, [])
  await strict.run()
  expect(strict.logged).toMatchObject([{ err: { type: 'ValiError' } }])
})

test('lists and counts exclude the tasks of a switched-off role', async () => {
  await addTask(host.database)
  await setRoleActivity(host.database, 'trade.clerk', false)
  expect(await summary(clerk.request)).toMatchObject({ openTaskCount: 0, attentionCount: 0 })
  await setRoleActivity(host.database, 'trade.clerk', true)
  expect(await summary(clerk.request)).toMatchObject({ openTaskCount: 1, attentionCount: 1 })
})
