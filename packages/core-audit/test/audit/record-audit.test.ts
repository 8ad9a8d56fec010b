import { auditInsert, newId, recordAudit } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { untilBlocked } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool, runSql } from '../harness.ts'
import { event } from './events.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, 'create table public.things (id uuid primary key, name text)')
})
afterAll(() => fresh.drop())

type StoredRow = { action_code: string; metadata: unknown; changes: unknown }

const eventsOf = async (database: Database, id: string): Promise<readonly StoredRow[]> =>
  database.read((db) =>
    db.execute<StoredRow>(sql`
      select action_code, metadata, changes from core_audit.audit_events
      where target_id = ${id}::uuid order by occurred_at, id`),
  )

const about = (id: string) => ({ kind: 'CatalogItem', typeCode: 'trade.item', id })

const thingCount = async (database: Database, id: string): Promise<number> =>
  (await database.read((db) => db.execute(sql`select from public.things where id = ${id}::uuid`))).length

test('an event commits together with its change', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  await database.transaction(async (tx) => {
    await tx.execute(sql`insert into public.things (id) values (${id})`)
    await recordAudit(tx, event({ target: about(id) }))
    expect(await eventsOf(database, id)).toEqual([])
  })
  expect(await eventsOf(database, id)).toHaveLength(1)
  expect(await thingCount(database, id)).toBe(1)
})

test('a failed change rolls back its event', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  const attempt = database.transaction(async (tx) => {
    await recordAudit(tx, event({ target: about(id) }))
    await tx.execute(sql`insert into public.things (id, name) values (${id}, ${'x'}), (${id}, ${'y'})`)
  })
  await expect(attempt).rejects.toMatchObject({ constraint_name: 'things_pkey' })
  expect(await eventsOf(database, id)).toEqual([])
  expect(await thingCount(database, id)).toBe(0)
})

test('an event that cannot be stored rolls back its change', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  const attempt = database.transaction(async (tx) => {
    await tx.execute(sql`insert into public.things (id) values (${id})`)
    await recordAudit(tx, event({ target: about(id), actionCode: '' }))
  })
  await expect(attempt).rejects.toMatchObject({ constraint_name: 'audit_events_names_check' })
  expect(await thingCount(database, id)).toBe(0)
})

test('a change and its event commit or fail together in one statement', async () => {
  const database = openPool(fresh.url)
  const add = (id: string, name: string) =>
    database.statement((tx) =>
      tx.execute(sql`
        with audit as (${auditInsert(tx, [event({ target: about(id) })])})
        insert into public.things (id, name) values (${id}, ${name})`),
    )
  const id = newId()
  await add(id, 'first')
  expect(await eventsOf(database, id)).toHaveLength(1)
  await expect(add(id, 'second')).rejects.toMatchObject({ constraint_name: 'things_pkey' })
  expect(await eventsOf(database, id)).toHaveLength(1)
})

test('several events are stored in the given order', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  const codes = Array.from({ length: 40 }, (_, index) => `things.step_${index}`)
  await database.transaction((tx) =>
    recordAudit(tx, ...codes.map((actionCode) => event({ target: about(id), actionCode }))),
  )
  const stored = await eventsOf(database, id)
  expect(stored.map((row) => row.action_code)).toEqual(codes)
})

test('recordAudit ignores an empty list, and auditInsert throws for an empty list', async () => {
  const database = openPool(fresh.url)
  await database.transaction(async (tx) => {
    await recordAudit(tx)
    expect(() => auditInsert(tx, [])).toThrow(TypeError)
  })
})

test('metadata and changes are stored unchanged, and undefined values become null', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  const text = 'line\nbreak “quotes” 😀 \\ "'
  const changes = [
    { fieldPath: 'text', oldValue: undefined, newValue: text },
    { fieldPath: 'lines[0].price', oldValue: { amount: '1.00' }, newValue: null },
    { fieldPath: 'isOpen', oldValue: false, newValue: 0 },
  ]
  await database.transaction((tx) =>
    recordAudit(tx, event({ target: about(id), metadata: { name: text, deep: [{ a: null }] }, changes })),
  )
  expect(await eventsOf(database, id)).toEqual([
    {
      action_code: 'things.changed',
      metadata: { name: text, deep: [{ a: null }] },
      changes: [
        { fieldPath: 'text', oldValue: null, newValue: text },
        { fieldPath: 'lines[0].price', oldValue: { amount: '1.00' }, newValue: null },
        { fieldPath: 'isOpen', oldValue: false, newValue: 0 },
      ],
    },
  ])
})

test('if a writer waits for a lock, its event follows the event of the lock holder', async () => {
  const database = openPool(fresh.url)
  const id = newId()
  await database.statement((tx) => tx.execute(sql`insert into public.things (id) values (${id})`))
  const [begun, turn, updated, blocked] = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const write = async (name: string, tx: Tx) => {
    await tx.execute(sql`update public.things set name = ${name} where id = ${id}::uuid`)
    return () => recordAudit(tx, event({ target: about(id), actionCode: name }))
  }

  const late = database.transaction(async (tx) => {
    await tx.execute(sql`select 1`)
    begun?.resolve()
    await turn?.promise
    await (await write('late', tx))()
  })
  await begun?.promise
  const early = database.transaction(async (tx) => {
    const record = await write('early', tx)
    updated?.resolve()
    await blocked?.promise
    await record()
  })
  await updated?.promise
  turn?.resolve()
  await untilBlocked(database)
  blocked?.resolve()

  await Promise.all([early, late])
  const stored = await eventsOf(database, id)
  expect(stored.map((row) => row.action_code)).toEqual(['early', 'late'])
})
