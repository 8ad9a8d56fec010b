import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { PostgresServer } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { startOwnPostgres } from '../../../../vitest.own-postgres.ts'
import { startPgBouncer } from '../../../../vitest.pgbouncer.ts'
import { pooledLimits } from '../../../../vitest.pooled-database.ts'
import { runDoctor } from '../doctor/run-doctor.ts'
import { refusalOf, runSql } from '../harness.ts'

// A real server that becomes a standby of nothing and keeps its port, like a demoted primary behind a load balancer that has
// not yet noticed.

const { missing, isRequired } = findOptionalPrograms().pgbouncer

let server: PostgresServer
beforeAll(async () => {
  server = await startOwnPostgres()
  await runSql(server.adminUrl, 'create table public.words (word text not null)')
})
afterAll(() => server.stop('immediate'))
beforeEach(() => runSql(server.adminUrl, 'truncate public.words'))

const signal = () => join(server.directory, 'data', 'standby.signal')
const demote = () => server.restart({ whileDown: () => writeFile(signal(), '', { mode: 0o644 }) })
const promote = () => server.restart({ whileDown: () => rm(signal(), { force: true }) })

function open(config: Partial<Parameters<typeof createDatabase>[0]> = {}): Database {
  const database = createDatabase({ ...databaseDefaults, url: server.adminUrl, poolMax: 1, ...config })
  onTestFinished(() => database.close())
  return database
}

const insert = (database: Database) =>
  database.statement((tx) => tx.execute(sql`insert into public.words (word) values ('a')`))
const words = (database: Database) =>
  database.read((db) => db.execute<{ word: string }>(sql`select word from public.words`))

test('a write that a read-only server refuses is service.unavailable, and its connection is replaced', async () => {
  await runSql(server.adminUrl, 'alter database postgres set default_transaction_read_only = on')
  const database = open()
  const inTransaction = database.transaction((tx) =>
    tx.execute(sql`insert into public.words (word) values ('b')`),
  )
  expect(await refusalOf(inTransaction)).toBe('service.unavailable')
  expect(await refusalOf(insert(database))).toBe('service.unavailable')
  await runSql(
    server.adminUrl,
    'begin read write; alter database postgres reset default_transaction_read_only; commit',
  )
  // On an old session, this write would also be refused.
  await insert(database)
  expect(await words(database)).toEqual([{ word: 'a' }])
})

test('neither writes nor reads use a standby', async () => {
  const database = open()
  await insert(database)
  await demote()
  onTestFinished(promote)
  expect(await refusalOf(insert(database))).toBe('service.unavailable')
  expect(await refusalOf(words(database))).toBe('service.unavailable')
  await promote()
  expect(await words(database)).toEqual([{ word: 'a' }])
})

describe.skipIf(missing.length > 0 && !isRequired)('behind PgBouncer', () => {
  const throughPooler = async (mode: 'session' | 'transaction') => {
    const pooler = await startPgBouncer(server.adminUrl, mode)
    onTestFinished(() => pooler.stop())
    const url = new URL(server.adminUrl)
    url.port = String(pooler.port)
    return { ...pooledLimits, url: url.href, pooler: mode, preparedStatements: mode === 'session' }
  }

  test.each(['session', 'transaction'] as const)(
    'in %s mode, no new connection uses a standby, and the doctor names the pooler',
    async (mode) => {
      const config = await throughPooler(mode)
      const database = open(config)
      await demote()
      onTestFinished(promote)
      expect(await refusalOf(insert(database))).toBe('service.unavailable')
      expect(await refusalOf(words(database))).toBe('service.unavailable')
      const { findings } = await runDoctor({ url: config.url, config })
      expect(findings['database.connection']).toEqual({
        status: 'failed',
        message: 'The server behind the pooler is not the primary.',
        change: 'Point the pooler of DATABASE_URL to the primary.',
      })
    },
  )

  test('in transaction mode, the first refused write ends a connection that outlived its server', async () => {
    const database = open(await throughPooler('transaction'))
    await insert(database)
    await demote()
    onTestFinished(promote)
    expect(await refusalOf(insert(database))).toBe('service.unavailable')
    expect(await refusalOf(words(database))).toBe('service.unavailable')
  })
})
