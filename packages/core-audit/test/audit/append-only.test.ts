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

beforeAll(async () => {
  fresh = await openDatabase()
  superuser = postgres(fresh.url, { max: 1, onnotice: () => {} })
  await runSql(
    fresh.url,
    `create role ${owner}; create role ${service};
     grant usage on schema core_audit to ${service};
     grant all on all tables in schema core_audit to ${service};
     alter table core_audit.audit_events owner to ${owner};
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

const ways = [
  ['update events', `update core_audit.audit_events set action_code = 'other'`],
  [
    'update events with a conflicting insert',
    `insert into core_audit.audit_events select * from core_audit.audit_events on conflict (id) do update set action_code = 'other'`,
  ],
  [
    'update events with merge',
    `merge into core_audit.audit_events e using core_audit.audit_events s on e.id = s.id when matched then update set action_code = 'other'`,
  ],
  ['delete events', 'delete from core_audit.audit_events'],
  [
    'delete events with merge',
    `merge into core_audit.audit_events e using core_audit.audit_events s on e.id = s.id when matched then delete`,
  ],
  ['truncate the table', 'truncate core_audit.audit_events'],
] as const

describe.each([
  ['the service’s own role', `set role ${service}`],
  ['the role that owns the table', `set role ${owner}`],
  ['a superuser', ''],
  ['a superuser in replica mode, which skips ordinary triggers', 'set session_replication_role = replica'],
])('%s', (_role, become) => {
  test.each(ways)('cannot %s', async (_action, statement) => {
    const before = await rows()
    const session = openConnection(fresh.url)
    await session.unsafe(`${become};`)
    await expect(session.unsafe(statement)).rejects.toMatchObject({
      code: '42501',
      message: 'audit events are append-only',
    })
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
    ['switch the session to replica mode', 'set session_replication_role = replica'],
  ])('cannot %s', async (_action, statement) => {
    const session = openConnection(fresh.url)
    await session.unsafe(`set role ${service}`)
    await expect(session.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })
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
