import { randomBytes } from 'node:crypto'
import { recordAudit } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openConnection, openDatabase, openPool, runSql } from '../harness.ts'
import { event } from './events.ts'

let fresh: FreshDatabase
let superuser: postgres.Sql

// PostgreSQL roles belong to the whole server, which other test files use too. The suffix makes the names unique.
const suffix = randomBytes(6).toString('hex')
const [owner, service] = [`audit_owner_${suffix}`, `audit_service_${suffix}`]

/** The table and all of its partitions, each with at least one event. */
let tables: readonly string[]

beforeAll(async () => {
  fresh = await openDatabase()
  superuser = postgres(fresh.url, { max: 1, onnotice: () => {} })
  await superuser`select core_audit.create_audit_partition(2040)`
  await superuser`
    insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
    select coalesce(first_id, core_audit.event_id()), 'things', 'Document', 'order', gen_random_uuid(), 'added'
    from core_audit.audit_partitions()`
  const partitions = await superuser<{ name: string }[]>`select name from core_audit.audit_partitions()`
  tables = ['audit_events', ...partitions.map(({ name }) => name)]
  await runSql(
    fresh.url,
    `create role ${owner}; create role ${service};
     grant usage on schema core_audit to ${service};
     grant all on all tables in schema core_audit to ${service};
     ${tables.map((name) => `alter table core_audit.${name} owner to ${owner};`).join('\n')}
     alter table core_audit.users owner to ${owner};
     grant usage, create on schema core_audit to ${owner};
     grant all on all tables in schema core_audit to ${owner};`,
  )
})
afterAll(async () => {
  await superuser.end()
  await fresh.drop()
  await runSql(inject('postgresUrl'), `drop role ${owner}; drop role ${service}`)
})

const rows = async (): Promise<unknown> => [
  ...(await superuser`select * from core_audit.audit_events order by id`),
]

beforeEach(async () => {
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  await database.transaction((tx) => recordAudit(tx, event({ metadata: { kept: true } })))
  await database.close()
})

const ways: readonly (readonly [string, (table: string) => string])[] = [
  ['update events', (table) => `update core_audit.${table} set action_code = 'other'`],
  [
    'update events with a conflicting insert',
    (table) =>
      `insert into core_audit.${table} select * from core_audit.${table} on conflict (id) do update set action_code = 'other'`,
  ],
  [
    'update events with merge',
    (table) =>
      `merge into core_audit.${table} e using core_audit.${table} s on e.id = s.id when matched then update set action_code = 'other'`,
  ],
  ['delete events', (table) => `delete from core_audit.${table}`],
  [
    'delete events with merge',
    (table) =>
      `merge into core_audit.${table} e using core_audit.${table} s on e.id = s.id when matched then delete`,
  ],
  ['truncate the table', (table) => `truncate core_audit.${table}`],
]

describe.each([
  ['the service’s own role', `set role ${service}`],
  ['the role that owns the table', `set role ${owner}`],
  ['a superuser', ''],
  ['a superuser in replica mode, which skips ordinary triggers', 'set session_replication_role = replica'],
])('%s', (_role, become) => {
  test.each(ways)('cannot %s, or the partitions', async (_action, statement) => {
    const before = await rows()
    const session = openConnection(fresh.url)
    await session.unsafe(`${become};`)
    expect(tables.length).toBeGreaterThanOrEqual(5)
    for (const table of tables) {
      await expect(session.unsafe(statement(table)), table).rejects.toMatchObject({
        code: '42501',
        message: 'audit events are append-only',
      })
    }
    expect(await rows()).toEqual(before)
  })
})

describe('the service’s own role', () => {
  test.each([
    ['disable the trigger', 'alter table core_audit.audit_events disable trigger all'],
    ['drop the trigger', 'drop trigger audit_events_append_only on core_audit.audit_events'],
    [
      'replace the function of the trigger',
      `create or replace function core_audit.refuse_audit_change() returns trigger language plpgsql as 'begin return new; end'`,
    ],
    ['drop the table', 'drop table core_audit.audit_events'],
    [
      'detach a partition',
      'alter table core_audit.audit_events detach partition core_audit.audit_events_2040',
    ],
    ['create a partition of any year', 'select core_audit.create_audit_partition(2050)'],
    ['switch the session to replica mode', 'set session_replication_role = replica'],
  ])('cannot %s', async (_action, statement) => {
    const session = openConnection(fresh.url)
    await session.unsafe(`set role ${service}`)
    await expect(session.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

test('a detached partition stays append-only', async () => {
  await superuser`select core_audit.create_audit_partition(2041)`
  await superuser`alter table core_audit.audit_events detach partition core_audit.audit_events_2041`
  await superuser.unsafe(`
    grant all on core_audit.audit_events_2041 to ${service};
    insert into core_audit.audit_events_2041 (module, target_kind, target_type_code, target_id, action_code)
    values ('things', 'Document', 'order', gen_random_uuid(), 'added')`)
  for (const become of [`set role ${service}`, 'set session_replication_role = replica']) {
    const session = openConnection(fresh.url)
    await session.unsafe(become)
    for (const [, statement] of ways) {
      await expect(session.unsafe(statement('audit_events_2041'))).rejects.toMatchObject({ code: '42501' })
    }
  }
})

describe('PostgreSQL', () => {
  test.each([
    ['a module', { module: '' }],
    ['an action', { actionCode: '' }],
    ['a kind', { target: { kind: '', typeCode: 'trade.item', id: '019a0000-0000-7000-8000-000000000001' } }],
  ])('rejects an event without %s', async (_case, overrides) => {
    const database = openPool(fresh.url)
    await expect(database.transaction((tx) => recordAudit(tx, event(overrides)))).rejects.toMatchObject({
      constraint_name: expect.stringMatching(/^audit_events_/),
    })
  })
})
