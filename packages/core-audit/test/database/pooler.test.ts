import { CoreError } from '@vertical-kit/core-audit'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createLogger, startHost } from '@vertical-kit/core-audit/host'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { type PoolMode, roleSettings, startPgBouncer } from '../../../../vitest.pgbouncer.ts'
import { pooledLimits } from '../../../../vitest.pooled-database.ts'
import { openDatabase } from '../harness.ts'

const { missing, isRequired } = findOptionalPrograms().pgbouncer

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

/** Opens a pool through a new PgBouncer, by default with the configuration of its mode. */
async function openPooled(
  mode: PoolMode,
  settings?: Readonly<Record<string, string | number>>,
  pooler: PoolMode | 'none' = mode,
): Promise<Database> {
  const pgbouncer = await startPgBouncer(inject('postgresUrl'), mode, settings)
  onTestFinished(() => pgbouncer.stop())
  const url = new URL(fresh.url)
  url.port = String(pgbouncer.port)
  const config = { ...databaseDefaults, ...pooledLimits, url: url.href, pooler }
  const database = createDatabase({ ...config, preparedStatements: mode === 'session' })
  onTestFinished(() => database.close())
  return database
}

const settingsOf = (database: Database) =>
  database.transaction(async (tx) => {
    const rows = await tx.execute<{ name: string; setting: string }>(sql`
      select name, setting from pg_settings
      where name in (
        'search_path', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
        'default_transaction_isolation', 'transaction_isolation', 'TimeZone', 'DateStyle',
        'standard_conforming_strings'
      )`)
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  })

const expected = {
  DateStyle: 'ISO, MDY',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
  search_path: 'pg_catalog, pg_temp',
  statement_timeout: '45000',
  lock_timeout: '30000',
  idle_in_transaction_session_timeout: '45000',
  default_transaction_isolation: 'read committed',
  transaction_isolation: 'read committed',
}

/** Settings of a role whose snapshots would outlive a statement. */
const repeatable = { default_transaction_isolation: `'repeatable read'` }

const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'accepted',
    (error: unknown) => error,
  )

describe.skipIf(missing.length > 0 && !isRequired)('behind PgBouncer', () => {
  test.each(['session', 'transaction'] as const)(
    'in %s mode, every connection has all settings, whatever formats its role has',
    async (mode) => {
      const formats = {
        DateStyle: `'German, DMY'`,
        TimeZone: `'Asia/Kabul'`,
        standard_conforming_strings: 'off',
      }
      const database = await openPooled(mode, { ...(mode === 'transaction' && roleSettings), ...formats })
      const seen = await Promise.all(Array.from({ length: 10 }, () => settingsOf(database)))
      expect(seen).toEqual(Array.from({ length: 10 }, () => expected))
    },
  )

  test('in transaction mode, concurrent work with parameters succeeds on shared server connections', async () => {
    const database = await openPooled('transaction')
    const values = await Promise.all(
      Array.from({ length: 200 }, (_, value) =>
        database.transaction(async (tx) => {
          const [first, second] = await Promise.all([
            tx.execute<{ value: number }>(sql`select ${value}::int as value`),
            tx.execute<{ value: number }>(sql`select ${value}::int + 1 as value`),
          ])
          return [first[0]?.value, second[0]?.value]
        }),
      ),
    )
    expect(values).toEqual(Array.from({ length: 200 }, (_, value) => [value, value + 1]))
  })

  test.each([
    ['no settings', {}, ['search_path is ""$user", public"', 'statement_timeout is 0 ms']],
    ['a longer limit', { ...roleSettings, lock_timeout: 60_000 }, ['lock_timeout is 60000 ms']],
    ['another search path', { ...roleSettings, search_path: 'public' }, ['search_path is "public"']],
    [
      'a stricter isolation level',
      { ...roleSettings, ...repeatable },
      [
        'default_transaction_isolation is "repeatable read"',
        `alter role … set default_transaction_isolation = 'read committed';`,
      ],
    ],
  ])(
    'in transaction mode, a role with %s is refused, and the log names what to set',
    async (_case, settings, found) => {
      const database = await openPooled('transaction', settings)
      const error = await refusalOf(settingsOf(database))
      expect(error).toBeInstanceOf(CoreError)
      expect(error).toMatchObject({ code: 'service.unavailable' })
      const log = captureLog()
      log.logger.error({ err: error }, 'refused')
      const { message } = JSON.parse(log.lines[0] ?? '').err.cause
      for (const part of [...found, 'alter role … set statement_timeout = 45000;'])
        expect(message).toContain(part)
    },
  )

  test('in session mode, the isolation level of the role does not apply', async () => {
    const database = await openPooled('session', repeatable)
    expect(await settingsOf(database)).toEqual(expected)
  })

  test('a stricter limit of the role is accepted', async () => {
    const database = await openPooled('transaction', { ...roleSettings, lock_timeout: 1_000 })
    expect(await settingsOf(database)).toEqual({ ...expected, lock_timeout: '1000' })
  })

  test('a host does not start without the settings', async () => {
    const database = await openPooled('transaction', {})
    const started = startHost({
      ...{ title: 'Host', database, modules: [], authenticate: (_c, next) => next() },
      logger: createLogger({ level: 'silent' }),
      server: { host: '127.0.0.1', port: 0 },
    })
    await expect(started).rejects.toMatchObject({
      name: 'CannotStartError',
      message: expect.stringMatching(/^The connections of the pooler lack settings: .*\nalter role/),
    })
  })

  test('the refusal of a start-up parameter is service.unavailable, and its text is not logged', async () => {
    const database = await openPooled('session', {}, 'none')
    const error = await refusalOf(settingsOf(database))
    expect(error).toMatchObject({ code: 'service.unavailable', cause: { code: '08P01' } })
    const log = captureLog()
    log.logger.error({ err: error }, 'refused')
    expect(log.lines.join()).not.toContain('unsupported startup parameter')
  })
})
