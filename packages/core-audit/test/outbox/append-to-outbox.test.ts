import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { appendToOutbox, outboxInsert } from '../../src/outbox/commands/append-to-outbox.ts'
import { event } from './events.ts'
import { type Outbox, openOutbox } from './harness.ts'

let outbox: Outbox
let database: Database
beforeAll(async () => {
  outbox = await openOutbox(['mail', 'work-center'])
  database = outbox.database
})
afterAll(() => outbox.close())
beforeEach(() => outbox.clear())

test('an event is stored unchanged, with an id, a time and a position', async () => {
  const actorUserId = newId()
  await database.statement((tx) =>
    tx.execute(
      sql`insert into core_audit.users (id, subject, display_name) values (${actorUserId}, 'ada', 'Ada')`,
    ),
  )
  const appended = event({
    actorUserId,
    correlationId: 'request-1',
    causationId: 'execution-1',
    schemaVersion: 3,
    data: { documentId: 'd', lines: [1, 2] },
  })
  await database.transaction((tx) => appendToOutbox(tx, appended))
  const rows = await database.read((db) => db.execute(sql`select * from core_audit.outbox_events`))
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      position: expect.stringMatching(/^\d+$/),
      type: appended.type,
      source: appended.source,
      subject: appended.subject,
      time: expect.any(String),
      actor_user_id: actorUserId,
      correlation_id: 'request-1',
      causation_id: 'execution-1',
      schema_version: 3,
      data: appended.data,
      traceparent: null,
    },
  ])
})

test('every registered consumer receives one delivery of every event, regardless of how the event is appended', async () => {
  await database.transaction((tx) => appendToOutbox(tx, event(), event()))
  await database.statement((tx) =>
    tx.execute(sql`
      with outbox as (${outboxInsert([event()])})
      select 1`),
  )
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.outbox_events (id, type, source, subject, schema_version, data)
      select gen_random_uuid(), 'by hand', 'by hand', 'thing/' || n, 1, '{}' from generate_series(1, 2) n`),
  )
  const rows = await database.read((db) =>
    db.execute(sql`
      select e.id, array_agg(d.consumer order by d.consumer) as consumers,
        bool_and(d.subject = e.subject and d.position = e.position and d.state = 'pending') as is_same
      from core_audit.outbox_events e
      join core_audit.outbox_deliveries d on d.event_id = e.id
      group by e.id`),
  )
  expect(rows).toHaveLength(5)
  for (const row of rows) expect(row).toMatchObject({ consumers: ['mail', 'work-center'], is_same: true })
})

test('the positions of events follow their order in the statement', async () => {
  const events = Array.from({ length: 20 }, (_, index) => event({ data: { index } }))
  await database.transaction((tx) => appendToOutbox(tx, ...events))
  const rows = await database.read((db) =>
    db.execute(sql`select (data ->> 'index')::int as index from core_audit.outbox_events order by position`),
  )
  expect(rows.map((row) => row['index'])).toEqual(events.map((_, index) => index))
})

test('an event is rolled back with its transaction', async () => {
  const failure = new Error('the business fails')
  await expect(
    database.transaction(async (tx) => {
      await appendToOutbox(tx, event())
      throw failure
    }),
  ).rejects.toBe(failure)
  expect(await outbox.deliveries()).toEqual([])
  expect(await database.read((db) => db.execute(sql`select from core_audit.outbox_events`))).toEqual([])
})

test('appending no events writes nothing, and outboxInsert requires an event', async () => {
  await database.transaction((tx) => appendToOutbox(tx))
  expect(await outbox.deliveries()).toEqual([])
  expect(() => outboxInsert([])).toThrow(TypeError)
})

test.each([
  ['a type', { type: '' }, 'outbox_events_names_check'],
  ['a source', { source: '' }, 'outbox_events_names_check'],
  ['a subject', { subject: '' }, 'outbox_events_names_check'],
  ['a version of its data', { schemaVersion: 0 }, 'outbox_events_schema_version_check'],
  ['data that is an object', { data: [] as never }, 'outbox_events_data_check'],
])('the database rejects an event without %s', async (_what, overrides, constraint) => {
  await expect(database.transaction((tx) => appendToOutbox(tx, event(overrides)))).rejects.toMatchObject({
    constraint_name: constraint,
  })
})

test('an event can have an actor without a user record', async () => {
  const actorUserId = newId()
  await database.transaction((tx) => appendToOutbox(tx, event({ actorUserId })))
  const rows = await database.read((db) =>
    db.execute(
      sql`select actor_user_id from core_audit.outbox_events where actor_user_id = ${actorUserId}::uuid`,
    ),
  )
  expect([...rows]).toEqual([{ actor_user_id: actorUserId }])
})

test('registering a consumer twice adds it once', async () => {
  const register = (name: string) =>
    database.statement((tx) => tx.execute(sql`select core_audit.register_outbox_consumer(${name})`))
  await register('mail')
  const names = await database.read((db) =>
    db.execute(sql`select name from core_audit.outbox_consumers order by name`),
  )
  expect(names).toEqual([{ name: 'mail' }, { name: 'work-center' }])
  for (const name of ['', 'Work Center', '-mail', 'x'.repeat(101)]) {
    await expect(register(name)).rejects.toMatchObject({ constraint_name: 'outbox_consumers_name_check' })
  }
})
