import { randomBytes } from 'node:crypto'
import { auditTimeline, newId, recordAudit } from '@vertical-kit/core-audit'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { event } from '../audit/events.ts'
import { openDatabase, runSql } from '../harness.ts'

let fresh: FreshDatabase
let host: TestHost
const role = `service_${randomBytes(6).toString('hex')}`

// The grants that docs/guides/database.md lists for operators.
const grants = `
  create role ${role} login password 'service';
  grant usage on schema core_audit to ${role};
  grant select, insert, update, delete on all tables in schema core_audit to ${role};
  revoke update, delete, truncate on core_audit.audit_events, core_audit.audit_seals from ${role};
  revoke update, truncate on core_audit.outbox_events, core_audit.outbox_attempts from ${role};
  revoke insert, update, delete, truncate on core_audit.migrations from ${role};`

const businessObjects = createBusinessObjects([
  { kind: 'Document', typeCodes: ['trade.sales_invoice'], isReadable: async () => true },
])

beforeAll(async () => {
  fresh = await openDatabase()
  await runSql(fresh.url, grants)
  const url = new URL(fresh.url)
  url.username = role
  url.password = 'service'
  host = await openTestHost({
    databaseUrl: url.href,
    modules: (database) => [
      auditTimeline({
        database,
        businessObjects,
        modules: [{ name: 'things', auditSource: { module: 'things', isVisibleTo: () => true } }],
      }),
    ],
  })
})
afterAll(async () => {
  await host.close()
  await fresh.drop()
  await runSql(inject('postgresUrl'), `drop role ${role}`)
})

test('the service needs only read and write access to its tables', async () => {
  const auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: newId() }
  await host.database.transaction((tx) => recordAudit(tx, event({ target })))
  const { kind, typeCode, id } = target
  const response = await auditor(
    'GET',
    `/api/audit/events?${new URLSearchParams({ kind, typeCode, objectId: id })}`,
  )
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ items: [{ target }] })

  // This user exists only at the identity provider. The first change by the user creates the user record.
  const root = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const created = await root('POST', '/api/security/roles', {
    body: { code: 'trade.clerk', name: 'Clerk', description: '', permissions: ['system.audit.view'] },
  })
  expect(created.status).toBe(201)
  const log = await host.database.read((db) => db.execute(sql`select current_user as who`))
  expect([...log]).toEqual([{ who: role }])
})

describe('the service cannot', () => {
  test.each([
    ['create a table', sql`create table core_audit.mine (id int)`],
    ['create a schema', sql`create schema mine`],
    ['create a function', sql`create function core_audit.mine() returns int language sql as 'select 1'`],
    ['create a table in the public schema', sql`create table public.mine (id int)`],
    ['change a table', sql`alter table core_audit.users add column mine int`],
    ['drop a table', sql`drop table core_audit.user_roles`],
    ['truncate a table', sql`truncate core_audit.users`],
    ['change an audit event', sql`update core_audit.audit_events set action_code = 'mine'`],
    ['delete an audit event', sql`delete from core_audit.audit_events`],
    ['delete a migration from the ledger', sql`delete from core_audit.migrations`],
    ['switch the session to replica mode', sql`set session_replication_role = replica`],
    ['read the passwords of roles', sql`select rolpassword from pg_authid`],
  ])('%s', async (_what, statement) => {
    await expect(host.database.statement((tx) => tx.execute(statement))).rejects.toMatchObject({
      code: '42501',
    })
  })
})
