import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { accessChanged } from '@vertical-kit/core-audit/identity'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openInbox } from '../../src/inbox/inbox.ts'
import { type Administration, openAdministration } from '../administration.ts'
import { approve, collectPayment } from '../definitions.ts'
import { append, clear, config, makeProcessor, type Processor, tasksOf } from '../desk.ts'
import { done, type InboxHost, idsOf, openInboxHost, summary } from '../harness.ts'
import { addTask, closeTask, sourceOf, versions } from '../items.ts'
import { addPerson, giveRole, type Person } from '../people.ts'

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

/** Creates unclaimed tasks of a role. Returns the id of the role. */
async function addTasks(roleCode: string, count: number): Promise<string | undefined> {
  const [role] = await host.database.statement((tx) =>
    tx.execute<{ id: string }>(sql`
      with task as (
        insert into work_center.tasks (
          id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, priority,
          assigned_role_id
        )
        select gen_random_uuid(), 'trade.approve', 'many/' || n, 'SI', 'document', 'trade.sales_invoice',
          gen_random_uuid(), 'SI', 'High', r.id
        from generate_series(1, ${count}::int) n
        join core_audit.roles r on r.code = ${roleCode}
      )
      select id from core_audit.roles where code = ${roleCode}`),
  )
  return role?.id
}

async function entriesRead(tx: Tx): Promise<number> {
  const [entries] = await tx.execute<{ count: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::int as count
    from pg_stat_xact_user_tables
    where relid = 'work_center.entries'::regclass`)
  return entries?.count ?? 0
}

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
  for (const joiner of joiners) await giveRole(host.database, joiner, 'trade.manager')
  const roleId = await addTasks('trade.manager', 10_001)
  await append(host.database, { type: accessChanged.type, data: { roleId } })
  await processor.run()
  for (const { request } of joiners) {
    expect(await summary(request)).toMatchObject({ openTaskCount: 10_001, version: 1 })
  }
  // One transaction creates at most 20,000 entries, which is one member here.
  const [events] = await host.database.read((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count from core_audit.outbox_events where type = 'work_center.access.continued'`),
  )
  expect(events?.count).toBe(joiners.length - 1)
})

test('only entries of the new members are read, even if the statistics know no entries', async () => {
  const [first, second] = [await addPerson(host, ['trade.manager']), await addPerson(host, ['trade.manager'])]
  const joined = async (tx: Tx, { userId }: Person) => {
    const inbox = openInbox(tx, { definitions: [approve], config, administratorRoleCodes: [] })
    inbox.changeAccess({ userId })
    await inbox.finish()
  }
  // The statistics are those of an empty table, and its indexes have the size of a large one.
  await host.database.statement((tx) =>
    tx.execute(sql`
      insert into work_center.entries (user_id, item_id, kind, view_permission, resource_code, priority, sort_at)
      select gen_random_uuid(), gen_random_uuid(), 'Task', 'view', 'order', 'Low', now() from generate_series(1, 60000)`),
  )
  await clear(host.database)
  await host.database.statement((tx) => tx.execute(sql`analyze work_center.tasks, work_center.entries`))
  await addTasks('trade.manager', 1_000)
  await host.database.transaction((tx) => joined(tx, first))
  const readCount = await host.database.transaction(async (tx) => {
    // The counters of a connection can include earlier transactions.
    const before = await entriesRead(tx)
    await joined(tx, second)
    return (await entriesRead(tx)) - before
  })
  expect(await summary(second.request)).toMatchObject({ openTaskCount: 1_000 })
  expect(readCount).toBeLessThan(10_000)
})

test('a task that is closed before its turn is skipped', async () => {
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
