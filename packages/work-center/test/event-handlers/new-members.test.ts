import { newId } from '@vertical-kit/core-audit'
import { accessChanged } from '@vertical-kit/core-audit/identity'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openInbox } from '../../src/inbox/inbox.ts'
import { type Administration, openAdministration } from '../administration.ts'
import { collectPayment } from '../definitions.ts'
import { append, clear, config, makeProcessor, type Processor, tasksOf } from '../desk.ts'
import { done, type InboxHost, idsOf, openInboxHost, summary } from '../harness.ts'
import { addTask, closeTask, sourceOf, versions } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let ask: Administration['ask']
let setRoles: Administration['setRoles']
let processor: Processor
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
  ;({ ask, setRoles } = await openAdministration(host))
  clerk = await addPerson(host, ['trade.clerk'])
  processor = makeProcessor(host.database, [])
})
afterAll(() => host.close())
beforeEach(() => clear(host.database))

const claim = (person: Person, id: string) =>
  done(person.request, 'tasks', id, 'claim', { expectedVersion: 1 })
const newMember = () => addPerson(host, [])

describe('a user becomes a recipient of the unclaimed tasks of a role', () => {
  test('by gaining the role: counts equal the list, and one commit raises the version once', async () => {
    const joiner = await newMember()
    const [open, claimed, closed] = [
      await addTask(host.database),
      await addTask(host.database),
      await addTask(host.database),
    ]
    await claim(clerk, claimed)
    await closeTask(host.database, closed)
    await setRoles(joiner, 'trade.clerk')
    await processor.run()
    expect(await idsOf(joiner.request)).toEqual([open])
    expect(await summary(joiner.request)).toMatchObject({ attentionCount: 1, openTaskCount: 1, version: 1 })
    // A claim by another member hides the task again.
    await claim(clerk, open)
    expect(await idsOf(joiner.request)).toEqual([])
  })

  test('by being active again', async () => {
    const joiner = await addPerson(host, ['trade.clerk'])
    await ask('POST', `/users/${joiner.userId}/deactivate`)
    const id = await addTask(host.database)
    await ask('POST', `/users/${joiner.userId}/reactivate`)
    await processor.run()
    expect(await idsOf(joiner.request)).toEqual([id])
  })

  test('when a claim is given back that was made before they gained the role', async () => {
    const [claimer, joiner] = [await addPerson(host, ['trade.clerk']), await newMember()]
    const id = await addTask(host.database)
    await claim(claimer, id)
    await setRoles(joiner, 'trade.clerk')
    await processor.run()
    expect(await idsOf(joiner.request)).toEqual([])
    await setRoles(claimer)
    await processor.run()
    expect(await idsOf(joiner.request)).toEqual([id])
  })

  test('and can claim and complete its work like any other recipient', async () => {
    const joiner = await newMember()
    const id = await addTask(host.database)
    await setRoles(joiner, 'trade.clerk')
    await processor.run()
    expect((await claim(joiner, id)).assignment?.claimedByUserId).toBe(joiner.userId)
    expect(await idsOf(clerk.request)).toEqual([])
  })

  test('but not of a definition that they have switched off', async () => {
    const joiner = await newMember()
    await addTask(host.database)
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into work_center.preferences (user_id, code, channel, is_enabled)
        values (${joiner.userId}::uuid, ${collectPayment.code}, 'InApp', false)`),
    )
    await setRoles(joiner, 'trade.clerk')
    await processor.run()
    expect(await idsOf(joiner.request)).toEqual([])
  })

  test('and a second change of access adds nothing', async () => {
    const joiner = await newMember()
    await addTask(host.database)
    await setRoles(joiner, 'trade.clerk')
    await processor.run()
    await done(joiner.request, 'tasks', (await idsOf(joiner.request))[0] ?? '', 'read')
    const before = await summary(joiner.request)
    await setRoles(joiner, 'trade.clerk', 'trade.auditor')
    await processor.run()
    expect(await summary(joiner.request)).toEqual({ ...before, version: before.version + 1 })
  })
})

test('no task is missed that another transaction is creating while the user gains the role', async () => {
  const joiner = await newMember()
  const key = newId()
  const creation = await holdTransaction(host.database, async (tx) => {
    const options = { definitions: [collectPayment], config, administratorRoleCodes: [] }
    const inbox = openInbox(tx, options)
    inbox.createTask(collectPayment, {
      deduplicationKey: key,
      title: 'Collect the payment of SI-2',
      source: sourceOf(),
      assignedTo: { roleCode: 'trade.clerk' },
    })
    await inbox.finish()
  })
  await setRoles(joiner, 'trade.clerk')
  const handled = processor.run()
  await untilBlocked(host.database)
  await creation.commit()
  await handled
  const [task] = await tasksOf(host.database)
  expect(await idsOf(joiner.request)).toEqual([task?.id])
})

test('very many entries are created in several transactions: nobody misses a task, and versions rise once', async () => {
  const joiners = [await newMember(), await newMember(), await newMember()]
  for (const { request } of joiners) await summary(request)
  const [role] = await host.database.statement((tx) =>
    tx.execute<{ id: string }>(sql`
      with member as (
        insert into core_audit.user_roles (user_id, role_id)
        select u.id, r.id
        from unnest(${sql.param(joiners.map(({ userId }) => userId))}::uuid[]) u (id)
        join core_audit.roles r on r.code = 'trade.clerk'
      ),
      task as (
        insert into work_center.tasks (
          id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, priority,
          assigned_role_id
        )
        select gen_random_uuid(), 'trade.collect_payment', 'many/' || n, 'SI', 'document', 'trade.sales_invoice',
          gen_random_uuid(), 'SI', 'High', r.id
        from generate_series(1, 10001) n
        join core_audit.roles r on r.code = 'trade.clerk'
      )
      select id from core_audit.roles where code = 'trade.clerk'`),
  )
  const members = await host.database.read((db) =>
    db.execute(sql`select from core_audit.active_role_members where role_code = 'trade.clerk'`),
  )
  await append(host.database, { type: accessChanged.type, data: { roleId: role?.id } })
  await processor.run()
  for (const { request } of joiners) {
    expect(await summary(request)).toMatchObject({ openTaskCount: 10_001, version: 1 })
  }
  // One transaction creates at most 20,000 entries, which is one member here.
  const [events] = await host.database.read((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count from core_audit.outbox_events where type = 'work_center.access.continued'`),
  )
  expect(events?.count).toBe(members.length - 1)
})

test('a task that is closed meanwhile is skipped', async () => {
  const joiner = await newMember()
  const id = await addTask(host.database)
  await setRoles(joiner, 'trade.clerk')
  const closing = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`
      update work_center.tasks set status = 'Completed', closed_at = clock_timestamp() where id = ${id}::uuid`),
  )
  const handled = processor.run()
  await untilBlocked(host.database)
  await closing.commit()
  await handled
  expect((await versions(host.database)).get(joiner.userId)).toBeUndefined()
  expect(await idsOf(joiner.request)).toEqual([])
})

test('thirty users who gain a role together see all of its thirty tasks', async () => {
  const joiners = await Promise.all(Array.from({ length: 30 }, newMember))
  const ids = await Promise.all(Array.from({ length: 30 }, () => addTask(host.database)))
  await Promise.all(joiners.map((joiner) => setRoles(joiner, 'trade.clerk')))
  await Promise.all([processor.run(), makeProcessor(host.database, []).run()])
  for (const joiner of joiners) expect((await idsOf(joiner.request)).toSorted()).toEqual(ids.toSorted())
})
