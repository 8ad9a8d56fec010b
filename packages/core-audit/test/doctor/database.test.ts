import { randomUUID } from 'node:crypto'
import type { KitModule } from '@vertical-kit/core-audit'
import { coreMigrations } from '@vertical-kit/core-audit/database'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { startPgBouncer } from '../../../../vitest.pgbouncer.ts'
import { openDatabase, runSql } from '../harness.ts'
import { runDoctor } from './run-doctor.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

/** Creates a role with these grants for one test, and returns the address with it. */
async function addressOf(grants: string): Promise<string> {
  const role = `doctor_${randomUUID().replaceAll('-', '')}`
  await runSql(fresh.url, `create role ${role} login password 'c4n4ry'; ${grants.replaceAll('$role', role)}`)
  onTestFinished(() => runSql(fresh.url, `drop owned by ${role}; drop role ${role}`))
  const url = new URL(fresh.url)
  url.username = role
  url.password = 'c4n4ry'
  return url.href
}

const read =
  'grant usage on schema core_audit to $role; grant select on all tables in schema core_audit to $role;'
const operated = `
  grant usage on schema core_audit to $role;
  grant select, insert, update, delete on all tables in schema core_audit to $role;
  revoke update, delete, truncate on core_audit.audit_events, core_audit.audit_seals from $role;
  grant execute on function core_audit.create_audit_partitions to $role;
  revoke update, truncate on core_audit.outbox_events, core_audit.outbox_attempts from $role;
  revoke insert, update, delete, truncate on core_audit.migrations from $role;`

test('a database that is set up like the database guide passes every check', async () => {
  const { exitCode, findings } = await runDoctor({ url: await addressOf(operated) })
  expect(Object.entries(findings).filter(([, { status }]) => status !== 'ok')).toEqual([])
  expect(Object.keys(findings)).toEqual([
    'database.connection',
    'database.version',
    'database.encryption',
    'database.settings',
    'database.migrations',
    'database.role',
    'database.audit',
    'database.outbox',
    'database.connections',
    'database.replication',
    'clock.database',
  ])
  expect(exitCode).toBe(0)
})

test('pending migrations fail, and name the first ones and the command', async () => {
  const empty = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => empty.drop())
  const { exitCode, findings } = await runDoctor({ url: empty.url })
  expect(exitCode).toBe(1)
  expect(findings['database.migrations']).toEqual({
    status: 'failed',
    message: expect.stringContaining(`${coreMigrations.name}/0001-`),
    change: expect.stringContaining('migrate up'),
  })
  expect(findings['database.role']).toMatchObject({ status: 'skipped' })
})

test.each(['LATIN1', 'SQL_ASCII'])('a database with the encoding %s is a warning', async (encoding) => {
  const name = `doctor_${encoding.toLowerCase()}_${randomUUID().slice(0, 8)}`
  await runSql(fresh.url, `create database ${name} encoding '${encoding}' locale 'C' template template0`)
  onTestFinished(() => runSql(fresh.url, `drop database ${name} with (force)`))
  const url = new URL(fresh.url)
  url.pathname = name
  const { findings } = await runDoctor({ url: url.href })
  expect(findings['database.version']).toEqual({
    status: 'warning',
    message: expect.stringContaining(`the encoding ${encoding},`),
    change: expect.stringContaining("encoding 'UTF8'"),
  })
})

test('partitions without the indexes of the search are named', async () => {
  const unindexed = await openDatabase()
  onTestFinished(() => unindexed.drop())
  await runSql(unindexed.url, 'drop index core_audit.audit_events_by_action')
  const { exitCode, findings } = await runDoctor({ url: unindexed.url })
  expect(exitCode).toBe(0)
  expect(findings['database.audit']).toEqual({
    status: 'warning',
    message: expect.stringMatching(/: audit_events_\d{4}, .*audit_events_before_\d{4}\.$/),
    change: expect.stringContaining('"Search"'),
  })
})

describe('a role', () => {
  test('without any right fails, with the grants as the change', async () => {
    const { findings } = await runDoctor({ url: await addressOf('') })
    const change = expect.stringMatching(/^Run the grants of the database guide for the role of DATABASE_URL/)
    expect(findings['database.role']).toMatchObject({ status: 'failed', change })
    expect(findings['database.outbox']).toMatchObject({ status: 'skipped' })
    expect(findings['database.migrations']).toEqual({
      status: 'failed',
      message: expect.stringContaining('grant select on core_audit.migrations'),
      change,
    })
  })

  test('whose transactions are read-only fails and names the setting', async () => {
    const setting = 'alter role $role set default_transaction_read_only = on;'
    const { exitCode, findings } = await runDoctor({ url: await addressOf(operated + setting) })
    expect(findings['database.role']).toEqual({
      status: 'failed',
      message: 'Every transaction is read-only, because default_transaction_read_only is on.',
      change: expect.stringContaining('for the role of DATABASE_URL, its database and the server'),
    })
    expect(exitCode).toBe(1)
  })

  test('that can only read fails and names missing rights', async () => {
    const { findings } = await runDoctor({ url: await addressOf(read) })
    expect(findings['database.role']?.message).toMatch(/insert on core_audit\.\w+/)
    expect(findings['database.role']?.message).not.toContain('core_audit.migrations')
  })

  test('that cannot use a sequence or a table of another schema of the migrator is a warning that names them', async () => {
    await runSql(
      fresh.url,
      `create schema shop; create table shop.orders (id integer generated always as identity);
       create sequence shop.numbers;`,
    )
    onTestFinished(() => runSql(fresh.url, 'drop schema shop cascade'))
    const tables = 'grant usage on schema shop to $role; grant select on shop.orders to $role;'
    const none = await runDoctor({ url: await addressOf(operated) })
    expect(none.findings['database.role']).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('shop.numbers, shop.orders'),
    })
    const withTables = await runDoctor({ url: await addressOf(operated + tables) })
    expect(withTables.findings['database.role']).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/: shop\.numbers\.$/),
    })
    const granted = `${operated}${tables} grant usage on all sequences in schema shop to $role;`
    const all = await runDoctor({ url: await addressOf(granted) })
    expect(all.findings['database.role']).toMatchObject({ status: 'ok' })
  })

  test('that could change append-only tables is a warning that names the tables and rights', async () => {
    const { exitCode, findings } = await runDoctor({
      url: await addressOf(
        `${operated} grant update, delete on core_audit.audit_events to $role;
         grant truncate on core_audit.outbox_events to $role;`,
      ),
    })
    expect(findings['database.role']).toEqual({
      status: 'warning',
      message:
        'The role of DATABASE_URL could change append-only tables: update, delete on core_audit.audit_events; ' +
        'truncate on core_audit.outbox_events.',
      change: 'Revoke these rights from the role.',
    })
    expect(exitCode).toBe(0)
  })

  test('that owns the tables is a warning for a host, but right for the migrator', async () => {
    const asHost = await runDoctor({ url: fresh.url })
    expect(asHost.findings['database.role']).toMatchObject({ status: 'warning' })
    const asMigrator = await runDoctor({ url: fresh.url, argv: ['--migrator'] })
    expect(asMigrator.findings).toMatchObject({ 'database.migrator': { status: 'ok' } })
    expect(asMigrator.findings).not.toHaveProperty('database.role')
  })

  test.each([
    ['that cannot create schemas', operated, 'The role cannot create schemas.'],
    [
      'that does not own the tables',
      `${operated} grant create on database $database to $role`,
      expect.stringContaining('does not own'),
    ],
  ])('%s fails as the migrator', async (_case, grants, message) => {
    const url = await addressOf(grants.replace('$database', fresh.name))
    const { findings } = await runDoctor({ url, argv: ['--migrator'] })
    expect(findings['database.migrator']).toMatchObject({ status: 'failed', message })
  })
})

test('a consumer that this host does not run is a warning, until it is removed', async () => {
  await runSql(fresh.url, `select core_audit.register_outbox_consumer('webhooks')`)
  const run = async (modules: readonly KitModule[] = []) =>
    (await runDoctor({ url: fresh.url, modules })).findings['database.outbox']
  expect(await run()).toEqual({
    status: 'warning',
    message: 'This host does not run webhooks. If no other host does, the outbox keeps all events.',
    change: expect.stringContaining('"outbox unregister"'),
  })
  const health = [{ name: 'webhooksOutbox', consumer: 'webhooks', check: () => Promise.reject(new Error()) }]
  expect(await run([{ name: 'processing', health }])).toMatchObject({ status: 'ok' })
  await runSql(fresh.url, `select core_audit.unregister_outbox_consumer('webhooks')`)
  expect(await run()).toMatchObject({ status: 'ok' })
})

test('connections that lost their settings, as with an unknown pooler, fail and name DATABASE_POOLER', async () => {
  const { findings } = await runDoctor({ url: fresh.url, pool: { statementTimeoutMs: 0 } })
  expect(findings['database.settings']).toEqual({
    status: 'failed',
    message: 'statement_timeout is 0 ms instead of at most 15000 ms.',
    change: expect.stringContaining('DATABASE_POOLER'),
  })
})

test.each([
  [
    'a wrong password',
    (url: string) => url.replace(/:[^:@]+@/, ':c4n4ry@'),
    '28P01',
    'DATABASE_PASSWORD_FILE',
  ],
  ['a missing database', (url: string) => `${url}_missing`, '3D000', 'DATABASE_URL'],
  ['a closed port', (url: string) => url.replace(/@[^/]+/, '@127.0.0.1:1'), 'ECONNREFUSED', 'DATABASE_URL'],
])('%s fails once, and skips what needs a connection', async (_case, change, code, key) => {
  const { exitCode, output, findings } = await runDoctor({ url: change(fresh.url) })
  const { 'database.connection': connection, ...others } = findings
  expect(connection).toEqual({
    status: 'failed',
    message: expect.stringContaining(code),
    change: expect.stringContaining(key),
  })
  for (const { status } of Object.values(others)) expect(status).toBe('skipped')
  expect(exitCode).toBe(1)
  expect(output).not.toContain('c4n4ry')
})

test.each([
  [1, 'ok', 0],
  [17, 'warning', 0],
  [100, 'failed', 1],
])('for %i replicas, the number of connections is %s', async (count, status, exitCode) => {
  const run = await runDoctor({ url: fresh.url, argv: ['--replicas', String(count)] })
  expect(run.findings['database.connections']).toMatchObject({ status })
  expect(run.exitCode).toBe(exitCode)
})

test.each([
  [0, 'ok', 'agrees'],
  [4_000, 'ok', 'agrees'],
  [10_000, 'warning', 'ahead of the database'],
  [-600_000, 'failed', '600 s behind the database'],
])('a clock that differs by %i ms is %s', async (skewMs, status, message) => {
  const { findings } = await runDoctor({ url: fresh.url, skewMs })
  expect(findings['clock.database']).toMatchObject({ status, message: expect.stringContaining(message) })
})

const { missing, isRequired } = findOptionalPrograms().pgbouncer
describe.skipIf(missing.length > 0 && !isRequired)('through PgBouncer', () => {
  async function throughPooler(settings: Readonly<Record<string, string>>) {
    const pgbouncer = await startPgBouncer(inject('postgresUrl'), 'transaction', settings)
    onTestFinished(() => pgbouncer.stop())
    const url = new URL(fresh.url)
    url.port = String(pgbouncer.port)
    return url.href
  }

  test('a role without the settings fails and names them', async () => {
    const url = await throughPooler({})
    const config = { pooler: 'transaction', preparedStatements: false, directUrl: fresh.url } as const
    const { findings } = await runDoctor({ url, config })
    expect(findings['database.connection']).toEqual({
      status: 'failed',
      message: expect.stringContaining('statement_timeout is 0 ms'),
      change: expect.stringContaining('the role of DATABASE_URL'),
    })
  })

  test('a pooler that is not configured fails and names DATABASE_POOLER', async () => {
    const { findings } = await runDoctor({ url: await throughPooler({}) })
    expect(findings['database.connection']).toMatchObject({
      status: 'failed',
      change: expect.stringContaining('DATABASE_POOLER'),
    })
  })
})
