import { randomUUID } from 'node:crypto'
import { describeCommandFailure } from '@vertical-kit/core-audit/host'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase, openPool, runSql } from '../harness.ts'
import { runCommand } from './run-command.ts'

test.each([['--help'], ['retry --help'], ['-h']])('%s prints the usage and does nothing', async (line) => {
  const { exitCode, out, err } = await runCommand(undefined, line.split(' '))
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
  expect(out.join()).toContain('Usage: outbox <command>')
})

test.each([
  '',
  'purge',
  'constructor',
  'list everything',
  'list --reason x',
  'list --consumer a --consumer b',
  'retry --all --consumer a --consumer b --reason x',
  'list --force',
  'show',
  'show a b',
  'show a --consumer mail',
  'retry',
  'retry a b --reason x',
  'retry a --all --reason x',
  'retry --all --reason x',
  'retry --all --consumer a',
  'retry a --all --consumer a --reason x',
  'discard --all --consumer a --reason x',
  'discard a --reason x --confirm',
  'unregister',
  'unregister a --confirm',
  'unregister a --reason x',
  'unregister a b --reason x --confirm',
  'unregister --consumer a --reason x --confirm',
  'unregister a --consumer a --reason x --confirm',
  `discard a --reason ${'x'.repeat(1_001)}`,
])('for the wrong arguments %j, the command prints the help and exits with code 2', async (line) => {
  const { exitCode, out, err } = await runCommand(undefined, line.split(' ').filter(Boolean))
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
  expect(err.join()).toContain('Usage: outbox <command>')
})

test.each([undefined, '', '  '])(
  'a missing database URL (%j) is a configuration error',
  async (databaseUrl) => {
    const { exitCode, out, err } = await runCommand(databaseUrl, ['list'])
    expect({ exitCode, out, err }).toEqual({ exitCode: 78, out: [], err: ['DATABASE_URL: is required'] })
  },
)

test('missing tables and rights are reported with their name and the change', async () => {
  const empty = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => empty.drop())
  const { err } = await runCommand(empty.url, ['list'])
  expect(err).toEqual([
    expect.stringMatching(/^PostgresError 42P01: relation "core_audit\.\w+" does not exist$/),
    'Its tables are missing or of another release: run the migrations first.',
  ])

  const migrated = await openDatabase()
  onTestFinished(() => migrated.drop())
  const role = `outbox_${randomUUID().replaceAll('-', '')}`
  await runSql(
    migrated.url,
    `create role ${role} login password 'c4n4ry'; grant usage on schema core_audit to ${role}`,
  )
  onTestFinished(() => runSql(migrated.url, `drop owned by ${role}; drop role ${role}`))
  const url = Object.assign(new URL(migrated.url), { username: role, password: 'c4n4ry' }).href
  expect((await runCommand(url, ['list'])).err).toEqual([
    expect.stringMatching(/^PostgresError 42501: permission denied for table outbox_\w+$/),
    expect.stringContaining('run the grants of the database guide'),
  ])
})

test.each([
  [
    'that refuses the password',
    () => Object.assign(new URL(inject('postgresUrl')), { password: 's3cret' }).href,
    'No connection to the database (28P01). Correct the user or password in DATABASE_URL or DATABASE_PASSWORD_FILE.',
  ],
  [
    'that does not exist',
    () => Object.assign(new URL(inject('postgresUrl')), { pathname: '/nowhere' }).href,
    'No connection to the database (3D000). Create the database, or correct its name in DATABASE_URL.',
  ],
  [
    'whose server does not run',
    () => 'postgres://app:s3cret@127.0.0.1:1/none',
    'No connection to the database (ECONNREFUSED). Start the server, or correct the host and port in DATABASE_URL.',
  ],
  [
    'whose host is unknown',
    () => 'postgres://app:s3cret@database.invalid/none',
    'No connection to the database (ENOTFOUND). Correct the host name in DATABASE_URL.',
  ],
])('a database %s is reported in one line, without the password', async (_, url, line) => {
  expect(await runCommand(url(), ['list'])).toEqual({ exitCode: 1, out: [], err: [line] })
})

// The first connection to a database on a full disk: the server cannot write a file of its own.
test('a server that refuses connections because its disk is full is reported with what to change', () => {
  const refusal = { name: 'PostgresError', code: '53100', severity: 'FATAL' }
  expect(describeCommandFailure(Object.assign(new Error('could not write init file'), refusal))).toEqual([
    'No connection to the database (53100). Free space on the disk of the database.',
  ])
})

test('a lock that is not available in time is reported in one line', async () => {
  const { url, drop } = await openDatabase()
  onTestFinished(drop)
  const database = openPool(url)
  const table = sql`lock table core_audit.outbox_deliveries in access exclusive mode`
  const held = await holdTransaction(database, (tx) => tx.execute(table))
  const failure: unknown = await database
    .transaction((tx) => tx.execute(sql`${table} nowait`))
    .catch((error: unknown) => error)
  await held.rollback()
  expect(describeCommandFailure(failure)).toEqual([
    'Another transaction holds a lock that the command needs (55P03). Run the command again after its end.',
  ])
})

test('other failures are reported without the frames of dependencies', () => {
  const error = new SyntaxError('c4n4ry')
  error.stack = 'SyntaxError: c4n4ry\n    at parse (file:///app/node_modules/driver/src/connection.js:815:30)'
  expect(describeCommandFailure(error)).toEqual(['SyntaxError'])
})
