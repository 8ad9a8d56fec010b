import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { startPgBouncer } from '../../../../vitest.pgbouncer.ts'
import { listenCheck } from '../../src/realtime/listen-check.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase(inject('postgresUrl'))
})
afterAll(() => fresh.drop())

/** Checks an address for LISTEN. Notifications are sent through the pool of `url`. */
function examine(url: string, listenUrl: string, password?: () => string) {
  const database = createDatabase({ ...databaseDefaults, url, poolMax: 1 })
  onTestFinished(() => database.close())
  return listenCheck({ database, url: listenUrl, password }).run({
    ...{ origins: [], token: undefined, replicaCount: 1, now: Date.now },
    signal: AbortSignal.timeout(2_000),
  })
}

const refused = { status: 'failed', change: expect.stringContaining('DATABASE_DIRECT_URL') }

test('a direct address receives the notification', async () => {
  expect(await examine(fresh.url, fresh.url)).toMatchObject({ status: 'ok' })
})

test('a password outside the address is used', async () => {
  const url = new URL(fresh.url)
  const { password } = url
  url.password = ''
  expect(await examine(fresh.url, url.href, () => password)).toMatchObject({ status: 'ok' })
  expect(await examine(fresh.url, url.href, () => 'wrong')).toMatchObject(refused)
})

test('the address of another database, and one without a server, fail', async () => {
  expect(await examine(fresh.url, inject('postgresUrl'))).toMatchObject(refused)
  const closed = fresh.url.replace(/@[^/]+/, '@127.0.0.1:1')
  expect(await examine(fresh.url, closed)).toMatchObject({
    ...refused,
    message: 'LISTEN is not possible (ECONNREFUSED).',
  })
})

test('the check is skipped if the database of the host cannot be reached, because another check reports this', async () => {
  const closed = fresh.url.replace(/@[^/]+/, '@127.0.0.1:1')
  expect(await examine(closed, fresh.url)).toEqual({
    status: 'skipped',
    message: 'Needs database.connection.',
  })
})

const { missing, isRequired } = findOptionalPrograms().pgbouncer
test.skipIf(missing.length > 0 && !isRequired)('a pooler in transaction mode fails', async () => {
  const pgbouncer = await startPgBouncer(inject('postgresUrl'), 'transaction')
  onTestFinished(() => pgbouncer.stop())
  const pooled = new URL(fresh.url)
  pooled.port = String(pgbouncer.port)
  expect(await examine(fresh.url, pooled.href)).toMatchObject(refused)
})
