import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { PgDialect } from 'drizzle-orm/pg-core'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createClock } from '../src/clock.ts'
import { defineNotification, defineTask, type ItemDefinition } from '../src/definitions/definition.ts'
import { administratorRoleCodes, clear, config, type Desk, openDesk } from './desk.ts'
import { addTask, closeTask, longAgo, type NewTask, versions } from './items.ts'
import { addUser, takeRole } from './people.ts'

const words = { category: 'Sales', description: 'It is about something.' }
const dueSoon = defineNotification({
  ...words,
  code: 'trade.due_soon',
  displayName: 'Due soon',
  severity: 'Information',
  roleCodes: ['trade.clerk'],
})
const late = defineNotification({
  ...words,
  code: 'trade.late',
  displayName: 'Late',
  severity: 'Warning',
  roleCodes: ['trade.manager'],
})
const hourMs = 3_600_000
const watched = defineTask({
  ...words,
  code: 'trade.watched',
  displayName: 'A task with notices',
  roleCodes: ['trade.clerk'],
  reminder: { notification: dueSoon, beforeDueMs: 2 * hourMs },
  escalation: { notification: late, afterDueMs: hourMs },
})
const definitions: readonly ItemDefinition[] = [watched, dueSoon, late]
const { reminder: _reminder, ...escalated } = watched
const { escalation: _escalation, ...reminded } = watched

let desk: Desk
let database: Database
let one: string
let two: string
let manager: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  one = await addUser(database, 'one', ['trade.clerk'])
  two = await addUser(database, 'two', ['trade.clerk'])
  manager = await addUser(database, 'manager', ['trade.manager'])
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const clockOn = (pool: Database, known = definitions) =>
  createClock({
    ...{ database: pool, definitions: known, config, administratorRoleCodes, batchSize: 2 },
    announce: () => {},
  })
const tick = (pool = database, known = definitions) =>
  clockOn(pool, known).runOnce(new AbortController().signal)

const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

/** Creates a task that is due in a thousand hours, and then moves its times by whole hours. */
async function addDue(inHoursFromNow: number, task: NewTask = {}): Promise<string> {
  const id = await addTask(database, { definition: watched, dueAtUtc: inHours(1_000), ...task })
  await database.statement((tx) =>
    tx.execute(sql`
      update work_center.tasks
      set reminds_at = reminds_at + make_interval(hours => ${inHoursFromNow - 1_000}::int),
        escalates_at = escalates_at + make_interval(hours => ${inHoursFromNow - 1_000}::int)
      where id = ${id}::uuid`),
  )
  return id
}

/** Lists the notifications as `code of user`, sorted. */
const sent = async () => {
  const rows = await database.read((db) =>
    db.execute<{ code: string; user_id: string }>(sql`
      select n.code, e.user_id
      from work_center.notifications n
      join work_center.entries e on e.item_id = n.id`),
  )
  const nameOf = new Map([
    [one, 'one'],
    [two, 'two'],
    [manager, 'manager'],
  ])
  return rows.map((row) => `${row.code} of ${nameOf.get(row.user_id)}`).toSorted()
}

test('nothing is sent before its time', async () => {
  await addDue(3)
  await tick()
  expect(await sent()).toEqual([])
})

test('members of the role of an unclaimed task are reminded once', async () => {
  await addDue(1)
  await tick()
  await tick()
  expect(await sent()).toEqual(['trade.due_soon of one', 'trade.due_soon of two'])
  expect(await versions(database)).toEqual(
    new Map([
      [one, 2],
      [two, 2],
    ]),
  )
})

test('one transaction sends 25 notices, because each can have thousands of recipients, and one cycle sends all', async () => {
  for (let n = 0; n < 30; n += 1) await addDue(1)
  const record = recordStatements()
  const clock = createClock({
    ...{ database: record.observe(database), definitions, config, administratorRoleCodes },
    announce: () => {},
  })
  await clock.runOnce(new AbortController().signal)
  const isSending = (one: SQL) =>
    new PgDialect().sqlToQuery(one).sql.includes('insert into work_center.notifications')
  expect(record.statements.filter(isSending)).toHaveLength(2)
  expect(await sent()).toHaveLength(60)
})

test('notices that are too many for one statement are sent in smaller batches, and other changes do not wait for them', async () => {
  // Stands for the statement timeout: a role can have thousands of members.
  const limit = sql`
    create function public.limit_notifications() returns trigger language plpgsql as $$
    begin
      if (select count(*) from new_rows) > 4 then raise exception 'statement timeout'; end if;
      return null;
    end $$`
  const trigger = sql`
    create trigger limit_notifications after insert on work_center.notifications
    referencing new table as new_rows for each statement execute function public.limit_notifications()`
  for (const each of [limit, trigger]) await database.statement((tx) => tx.execute(each))
  onTestFinished(async () => {
    await database.statement((tx) => tx.execute(sql`drop function public.limit_notifications cascade`))
  })
  for (let n = 0; n < 30; n += 1) await addDue(1)
  const overdue = await addTask(database, { definition: reminded, dueAtUtc: inHours(1) })
  await database.statement((tx) =>
    tx.execute(sql`
      update work_center.entries set changes_at = statement_timestamp() where item_id = ${overdue}::uuid`),
  )
  const clock = createClock({
    ...{ database, definitions, config, administratorRoleCodes },
    announce: () => {},
  })
  const run = () => clock.runOnce(new AbortController().signal)
  await expect(run()).rejects.toThrow()
  expect(await isPassed(overdue)).toBe(true)
  let failureCount = 1
  const failed = () => {
    failureCount += 1
  }
  await expect
    .poll(async () => {
      await run().catch(failed)
      return (await sent()).length
    })
    .toBe(60)
  // 25, 12 and 6 are too many.
  expect(failureCount).toBe(3)
})

/** Returns whether the clock has handled the change of an item's entries. */
async function isPassed(id: string): Promise<boolean> {
  const rows = await database.read((db) =>
    db.execute(sql`
      select from work_center.entries where item_id = ${id}::uuid and changes_at <= statement_timestamp()`),
  )
  return rows.length === 0
}

const claim = (id: string, userId: string) =>
  database.statement((tx) =>
    tx.execute(sql`
      update work_center.tasks set claimed_by_user_id = ${userId}::uuid, status = 'InProgress' where id = ${id}::uuid`),
  )

test('only the claimer or the assigned user is reminded', async () => {
  await claim(await addDue(1), two)
  await addDue(1, { assignedTo: { userId: one } })
  await tick()
  expect(await sent()).toEqual(['trade.due_soon of one', 'trade.due_soon of two'])
})

test('if the claimer has just lost the role, its members are reminded', async () => {
  const leaver = await addUser(database, 'leaver', ['trade.clerk'])
  await claim(await addDue(1), leaver)
  await takeRole(database, { userId: leaver }, 'trade.clerk')
  await tick()
  expect(await sent()).toEqual(['trade.due_soon of one', 'trade.due_soon of two'])
})

test('the roles of the escalation are notified once after the due time, with the title and the source of the task', async () => {
  const id = await addDue(-2, { title: 'Collect SI-7', description: 'By phone' })
  await database.statement((tx) =>
    tx.execute(sql`update work_center.tasks set reminds_at = null where id = ${id}::uuid`),
  )
  await tick()
  await tick()
  expect(await sent()).toEqual(['trade.late of manager'])
  const [row] = await database.read((db) =>
    db.execute(sql`
      select n.title, n.description, n.severity, n.entity_id = t.entity_id as is_of_task
      from work_center.notifications n, work_center.tasks t`),
  )
  expect(row).toEqual({
    title: 'Late: Collect SI-7',
    description: 'By phone',
    severity: 'Warning',
    is_of_task: true,
  })
})

test('a late clock sends the reminder and the escalation', async () => {
  await addDue(-2)
  await tick()
  expect(await sent()).toEqual(['trade.due_soon of one', 'trade.due_soon of two', 'trade.late of manager'])
})

test('the escalation is also sent if it uses the notification of the reminder', async () => {
  const both = defineNotification({
    ...late,
    code: 'trade.both',
    roleCodes: ['trade.clerk', 'trade.manager'],
  })
  const task = defineTask({
    ...watched,
    code: 'trade.same_notice',
    reminder: { notification: both, beforeDueMs: 2 * hourMs },
    escalation: { notification: both, afterDueMs: hourMs },
  })
  const id = await addTask(database, { definition: task, dueAtUtc: inHours(1_000) })
  const pass = async (column: 'reminds_at' | 'escalates_at') => {
    await database.statement((tx) =>
      tx.execute(sql`
        update work_center.tasks
        set ${sql.raw(column)} = statement_timestamp() - interval '1 minute' where id = ${id}::uuid`),
    )
    await clockOn(database, [task, both]).runOnce(new AbortController().signal)
  }
  await pass('reminds_at')
  expect(await sent()).toEqual(['trade.both of one', 'trade.both of two'])
  await pass('escalates_at')
  expect(await sent()).toEqual([
    'trade.both of manager',
    ...Array(2).fill('trade.both of one'),
    ...Array(2).fill('trade.both of two'),
  ])
})

test('a task that is created after the time of its reminder has no reminder', async () => {
  await addTask(database, { definition: watched, dueAtUtc: inHours(1) })
  await tick()
  expect(await sent()).toEqual([])
})

test('a task that is created after its due time is escalated', async () => {
  await addTask(database, { definition: watched, dueAtUtc: longAgo })
  await tick()
  expect(await sent()).toEqual(['trade.late of manager'])
})

test('a closed task causes nothing, and a reopened one has the notices of its new due time', async () => {
  const deduplicationKey = newId()
  const id = await addDue(-2, { deduplicationKey })
  await closeTask(database, id)
  await tick()
  expect(await sent()).toEqual([])
  await addTask(database, { definition: watched, deduplicationKey, dueAtUtc: longAgo })
  await tick()
  expect(await sent()).toEqual(['trade.late of manager'])
  await closeTask(database, id)
  await addTask(database, { definition: watched, deduplicationKey, dueAtUtc: longAgo })
  await tick()
  expect(await sent()).toEqual(['trade.late of manager'])
})

test('a task without a due time has no notices', async () => {
  await addTask(database, { definition: watched })
  await tick()
  expect(await sent()).toEqual([])
})

test('the clocks of ten replicas send each notice once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => addDue(-2, { assignedTo: { userId: one } })))
  await Promise.all(Array.from({ length: 10 }, () => tick(desk.openPool({ poolMax: 2 }))))
  await tick()
  const codes = await sent()
  expect(codes.filter((code) => code === 'trade.due_soon of one')).toHaveLength(20)
  expect(codes.filter((code) => code === 'trade.late of manager')).toHaveLength(20)
  expect(codes).toHaveLength(40)
})

/** Returns the hours until the clock of a host with these definitions is due. */
async function hoursUntilDue(known = definitions): Promise<number | undefined> {
  const [row] = await database.read((db) =>
    db.execute<{ hours: number }>(
      sql`select extract(epoch from ${clockOn(database, known).dueAt} - statement_timestamp())::float8 / 3600 as hours`,
    ),
  )
  return row?.hours
}

test('the clock is due at the next notice', async () => {
  await addDue(5)
  expect(await hoursUntilDue()).toBeCloseTo(3, 1)
})

describe('a host whose release does not know', () => {
  const withoutBoth: readonly ItemDefinition[] = [dueSoon, late]
  const ofClerks = ['trade.due_soon of one', 'trade.due_soon of two']
  const ofManager = 'trade.late of manager'

  test.each<[string, readonly ItemDefinition[], readonly string[]]>([
    ['the definition of a task leaves both notices', withoutBoth, []],
    ['its reminder leaves it', [escalated, ...withoutBoth], [ofManager]],
    ['its escalation leaves it', [reminded, ...withoutBoth], ofClerks],
  ])('%s to the hosts of other releases', async (_what, known, sentByIt) => {
    await addDue(-2)
    await tick(database, known)
    expect(await sent()).toEqual(sentByIt)
    await tick()
    await tick()
    expect(await sent()).toEqual([...ofClerks, ofManager])
  })

  test('a definition sends the notices of others, however many are left', async () => {
    const other = defineTask({ ...watched, code: 'trade.other' })
    for (let n = 0; n < 5; n += 1) await addDue(-3)
    await addDue(-2, { definition: other, assignedTo: { userId: one } })
    await tick(database, [other, ...withoutBoth])
    expect(await sent()).toEqual(['trade.due_soon of one', ofManager])
  })

  test('a notice is not due because of it', async () => {
    // The next change of any entry is the due time of the task.
    await addDue(5)
    expect(await hoursUntilDue(withoutBoth)).toBeCloseTo(1_000, 1)
    await addDue(-2)
    expect(await hoursUntilDue(withoutBoth)).toBeCloseTo(1_000, 1)
  })

  test('the reminder of a task is due at its escalation', async () => {
    await addDue(1)
    expect(await hoursUntilDue([escalated, ...withoutBoth])).toBeCloseTo(2, 1)
  })
})
