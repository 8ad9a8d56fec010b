import { recordAudit } from '@vertical-kit/core-audit'
import { firstEventIdAt, idAt } from '@vertical-kit/core-audit/audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { holdTransaction, recordStatements } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createWatch } from '../../src/watch/watch.ts'
import { takePosition } from '../../src/watch/watched-events.ts'
import { config } from '../desk.ts'
import { addPerson, type Person } from '../people.ts'
import { newsOf, type Office, openOffice, put, watch } from './office.ts'

let office: Office
const record = recordStatements()
let endsBeforeCommit = false
let carl: Person
let clara: Person
beforeAll(async () => {
  office = await openOffice({
    observe: (database) =>
      record.observe({
        ...database,
        transaction: (work) =>
          database.transaction(async (tx) => {
            const result = await work(tx)
            if (endsBeforeCommit) throw new Error('the process ended')
            return result
          }),
      }),
  })
  carl = await addPerson(office, ['trade.clerk'])
  clara = await addPerson(office, ['trade.clerk'])
})
afterAll(() => office.close())

/** Handles all events. Returns the most statements of a cycle: events of the current millisecond wait for the next one. */
async function mostStatements(): Promise<number> {
  let most = 0
  for (let cycle = 0; cycle < 3; cycle += 1) {
    record.reset()
    await office.followOnce()
    most = Math.max(most, record.count)
  }
  return most
}

test('an event that commits after later ones is not missed', async () => {
  const invoice = await office.followed(clara)
  const other = await office.followed(clara)
  const target = invoice
  await office.database.transaction(async (tx) => {
    await recordAudit(tx, {
      ...{ module: 'trade', target, actionCode: 'trade.changed', correlationId: null },
      actorUserId: carl.userId,
    })
    // `recordAudit` does not wait until its event has an id, and later statements do.
    await tx.execute(sql`select 1`)
    await office.act(carl, other)
    for (let cycle = 0; cycle < 3; cycle += 1) await office.followOnce()
    // The later event waits, because an event before it can still commit.
    expect(await newsOf(clara, other)).toEqual([])
  })
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
  expect(await newsOf(clara, other)).toHaveLength(1)
})

test('after full batches, an event is not missed if the clock goes back by less than the time since the last cycle', async () => {
  const [first, second, later, stepped] = [
    await office.followed(clara),
    await office.followed(clara),
    await office.followed(clara),
    await office.followed(clara),
  ]
  let isFirst = true
  const parts = createWatch({
    ...watch,
    async describe(db, references) {
      // Commits between two batches of the cycle.
      if (isFirst) await office.act(carl, later)
      isFirst = false
      return watch.describe(db, references)
    },
  })
  const [worker] = parts.workers({
    ...{ database: office.database, config, definitions: parts.definitions, batchSize: 1 },
    ...{ administratorRoleCodes: ['trade.administrator'], announce: () => {} },
  })
  const runOnce = () => worker?.runOnce(new AbortController().signal)
  await office.follow()
  await office.act(carl, first)
  await office.act(carl, second)
  // The first cycle only looks at the open transactions, in a later millisecond.
  await newsOf(clara, first)
  await runOnce()
  await runOnce()
  expect(await newsOf(clara, second)).toHaveLength(1)
  // The clock goes back: the id of this event is smaller than that of the event before.
  await office.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (
        id, module, target_kind, target_type_code, target_id, action_code, actor_user_id
      )
      select overlay(id::text placing '000000000000' from 25)::uuid, module, target_kind, target_type_code,
        ${stepped.id}::uuid, action_code, actor_user_id
      from core_audit.audit_events
      where target_id = ${later.id}::uuid`),
  )
  await office.follow()
  expect(await newsOf(clara, later)).toHaveLength(1)
  expect(await newsOf(clara, stepped)).toHaveLength(1)
})

test('ten workers at once, after one that ended before its commit, notify each follower once', async () => {
  const invoice = await office.followed(clara)
  await office.act(carl, invoice)
  endsBeforeCommit = true
  await expect(office.follow()).rejects.toThrow('the process ended')
  endsBeforeCommit = false
  expect(await newsOf(clara, invoice)).toEqual([])
  await Promise.all(Array.from({ length: 10 }, () => office.follow()))
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('while one worker handles events, the others neither wait for it nor handle them', async () => {
  const invoice = await office.followed(clara)
  await office.act(carl, invoice)
  const held = await holdTransaction(office.database, takePosition)
  for (let cycle = 0; cycle < 3; cycle += 1) await office.followOnce()
  expect(await newsOf(clara, invoice)).toEqual([])
  await held.commit()
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('the number of statements depends neither on the number of events nor on that of followers', async () => {
  const few = await office.followed(clara)
  await office.act(carl, few)
  const count = await mostStatements()
  const many = await Promise.all(Array.from({ length: 10 }, () => office.addInvoice()))
  const people = await Promise.all(Array.from({ length: 10 }, () => addPerson(office, ['trade.clerk'])))
  for (const invoice of many) await Promise.all(people.map((person) => put(person, invoice)))
  for (const invoice of many) for (const person of [carl, clara]) await office.act(person, invoice)
  expect(await mostStatements()).toBe(count)
  for (const person of people)
    expect(await newsOf(person, many[9] as BusinessObjectReference)).toHaveLength(2)
})

test('after a time without followers, the events of that time are not read', async () => {
  await office.database.statement((tx) => tx.execute(sql`delete from work_center.watches`))
  await office.database.statement((tx) =>
    tx.execute(sql`update work_center.watch_position set last_event_id = ${idAt(0)}::uuid`),
  )
  const invoice = await office.followed(clara)
  await office.act(carl, invoice)
  const [hourAgo] = await office.database.read((db) =>
    db.execute<{ id: string }>(sql`
      select ${firstEventIdAt(sql`statement_timestamp() - interval '1 hour'`)} as id`),
  )
  const from = await office.database.transaction(takePosition)
  expect((from ?? '') > (hourAgo?.id ?? 'f')).toBe(true)
  await office.follow()
  expect(await newsOf(clara, invoice)).toHaveLength(1)
})

test('without news, a cycle needs one statement', async () => {
  await office.followed(clara)
  await office.follow()
  record.reset()
  await office.followOnce()
  expect(record.count).toBe(1)
})

test('an object that cannot be described delays the followers of others, but does not stop them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const [damaged, fine] = [await office.followed(carl), await office.followed(carl)]
  await office.follow()
  office.breakDescription(damaged)
  for (let count = 0; count < 3; count += 1) await office.act(clara, damaged)
  await office.act(clara, fine)
  const isFailing = () =>
    office.followOnce().then(
      () => false,
      () => true,
    )
  // The batches become smaller, until the event fails alone.
  await expect.poll(isFailing).toBe(true)
  for (let attempt = 0; attempt < 12; attempt += 1) expect(await isFailing()).toBe(true)
  vi.advanceTimersByTime(120_000)
  expect(await isFailing()).toBe(true)
  await office.follow()
  expect(await newsOf(carl, fine)).toHaveLength(1)
  expect(await newsOf(carl, damaged)).toEqual([])
  // Later, the object has another chance.
  office.repairDescription(damaged)
  vi.advanceTimersByTime(600_000)
  await office.act(clara, damaged)
  await office.follow()
  expect(await newsOf(carl, damaged)).toHaveLength(1)
})
