import { CoreError } from '@vertical-kit/core-audit'
import {
  createDatabase,
  type Database,
  type DatabaseConfig,
  databaseDefaults,
  type ReadPosition,
} from '@vertical-kit/core-audit/database'
import { startPostgresProxy } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { type StandbyPair, startStandbyPair } from '../../../../vitest.standby.ts'
import { openConnection as openConnectionTo } from '../../src/database/connection.ts'
import { driverTypes } from '../../src/database/driver-types.ts'
import { behind, createStandby, readIdentity } from '../../src/database/standby.ts'
import { openDb } from '../../src/database/tx.ts'
import { openConnection, refusalOf, runSql } from '../harness.ts'

let pair: StandbyPair
let database: Database
beforeAll(async () => {
  pair = await startStandbyPair((primary) =>
    runSql(primary.adminUrl, 'create table public.words (word text not null)'),
  )
  database = open(pair.standby.adminUrl)
})
afterAll(async () => {
  await database.close()
  await pair.stop()
})

const open = (readUrl: string, config: Partial<DatabaseConfig> = {}): Database =>
  createDatabase({ ...databaseDefaults, ...config, url: pair.primary.adminUrl, readUrl })

async function positionNow(): Promise<ReadPosition> {
  const [row] = await database.read((db) =>
    db.execute<{ position: ReadPosition }>(sql`select ${database.position} as position`),
  )
  if (row === undefined) throw new Error('no position')
  return row.position
}

const write = (word: string) =>
  database.statement((tx) => tx.execute(sql`insert into public.words (word) values (${word})`))

/** Reads the words, and whether a standby has answered. */
async function readWords(since?: ReadPosition, from = database) {
  const rows = await from.read(
    (db) =>
      db.execute<{ words: string[]; is_standby: boolean }>(sql`
        select array(select word from public.words order by word) as words, pg_is_in_recovery() as is_standby`),
    since,
  )
  return rows[0]
}

const untilReplayed = (since: ReadPosition) =>
  vi.waitUntil(async () => (await readWords(since))?.is_standby, { interval: 5, timeout: 30_000 })

test('a standby serves reads that it shows completely, and only those with a position', async () => {
  await write('a')
  const since = await positionNow()
  await untilReplayed(since)
  expect(await readWords(since)).toEqual({ words: ['a'], is_standby: true })
  expect(await readWords()).toEqual({ words: ['a'], is_standby: false })
})

test('a standby of another database of the same server serves no read', async () => {
  await runSql(pair.primary.adminUrl, 'create database other')
  const other = Object.assign(new URL(pair.standby.adminUrl), { pathname: '/other' }).href
  const since = await positionNow()
  await untilReplayed(since)
  const mistaken = open(other)
  onTestFinished(() => mistaken.close())
  expect(await readWords(since, mistaken)).toMatchObject({ is_standby: false })
})

test('a standby of another cluster serves no read, although its database has the same number', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  const options = { types: driverTypes, prepare: true, connect_timeout: 5, answerDeadlineMs: null }
  const connection = openConnectionTo(pair.standby.adminUrl, options)
  onTestFinished(() => connection.end(0))
  const own = await database.read(readIdentity)
  const readAs = (system: string) =>
    createStandby(
      (work) => work(openDb(connection)),
      async () => ({ ...own, system }),
    ).read(async () => 'read', since)
  expect(await readAs(own.system)).toBe('read')
  expect(await readAs('1')).toBe(behind)
})

test('while the standby lags, the primary serves reads of later positions and the standby those of earlier ones', async () => {
  const before = await positionNow()
  await untilReplayed(before)
  const resume = await pair.pauseReplay()
  onTestFinished(resume)
  await write('b')
  const after = await positionNow()
  expect(await readWords(after)).toEqual({ words: ['a', 'b'], is_standby: false })
  expect(await readWords(before)).toEqual({ words: ['a'], is_standby: true })
  await resume()
  await untilReplayed(after)
  expect(await readWords(after)).toEqual({ words: ['a', 'b'], is_standby: true })
})

test('a read that finds no free connection to the standby runs on the primary, and does not count as refused', async () => {
  const telemetry = recordTelemetry()
  onTestFinished(() => telemetry.stop())
  const small = open(pair.standby.adminUrl, { poolMax: 1 })
  onTestFinished(() => small.close())
  const since = await positionNow()
  await untilReplayed(since)
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = small.read(async (db) => {
    reached.resolve()
    await goOn.promise
    return db.execute(sql`select pg_is_in_recovery() as is_standby`)
  }, since)
  await reached.promise
  expect(await readWords(since, small)).toMatchObject({ is_standby: false })
  goOn.resolve()
  expect(await first).toEqual([{ is_standby: true }])
  const values = await telemetry.values()
  expect(values.filter(({ name }) => name === 'db.client.connection.wait_time')).not.toEqual([])
  expect(values.filter(({ name }) => name === 'db.client.connection.timeouts')).toEqual([])
})

test('a read that fails on the standby runs on the primary', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  const rows = await database.read(
    (db) => db.execute(sql`select 1 / (case when pg_is_in_recovery() then 0 else 1 end) as one`),
    since,
  )
  expect(rows).toEqual([{ one: 1 }])
})

test('a refusal of a read on the standby is final', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  const work = vi.fn(async () => {
    throw new CoreError('business_object.not_found')
  })
  expect(await refusalOf(database.read(work, since))).toBe('business_object.not_found')
  expect(work).toHaveBeenCalledOnce()
})

test('a position of another timeline is never compared with the log of the standby', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  expect(since).toMatch(/^00000001 /)
  expect(await readWords(since.replace('00000001', '00000002'))).toMatchObject({ is_standby: false })
})

test('a standby that cannot be reached costs no request', async () => {
  const unreachable = open('postgres://postgres@127.0.0.1:1/postgres')
  onTestFinished(() => unreachable.close())
  expect(await readWords(await positionNow(), unreachable)).toMatchObject({ is_standby: false })
})

test('a standby that is silent costs one short wait, even if statements have no limit', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  const proxy = await startPostgresProxy(pair.standby.adminUrl)
  const unlimited = open(proxy.url, { statementTimeoutMs: 0 })
  onTestFinished(async () => {
    await proxy.stop()
    await unlimited.close()
  })
  expect(await readWords(since, unlimited)).toMatchObject({ is_standby: true })
  // The pause after the wait does not end during this test.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => void clock.mockRestore())
  proxy.decide = () => 'swallow'
  expect(await readWords(since, unlimited)).toMatchObject({ is_standby: false })
  // The next read does not try the standby.
  const decide = vi.fn(() => 'swallow' as const)
  proxy.decide = decide
  expect(await readWords(since, unlimited)).toMatchObject({ is_standby: false })
  expect(decide).not.toHaveBeenCalled()
  // Otherwise, closing would wait for the answer of the standby.
  proxy.cut('reset')
  await positionNow()
})

test('a slow read on the standby delays no other read, and the standby stays in use', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  const busy = open(pair.standby.adminUrl, { poolMax: 1 })
  onTestFinished(() => busy.close())
  const operator = openConnection(pair.standby.adminUrl)
  await operator`select pg_advisory_lock(1)`
  // The clock stands still: reads arrive at the same moment, and a pause of the standby does not end during this test.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const started = Promise.withResolvers<void>()
  const slow = busy.read(async (db) => {
    started.resolve()
    return db.execute(sql`select pg_is_in_recovery() as is_standby from pg_advisory_lock(1)`)
  }, since)
  await started.promise
  expect(await readWords(since, busy)).toMatchObject({ is_standby: false })
  await operator`select pg_advisory_unlock(1)`
  expect(await slow).toEqual([{ is_standby: true }])
  expect(await readWords(since, busy)).toMatchObject({ is_standby: true })
})

test('a host without a standby reads no position', () => {
  const alone = createDatabase({ ...databaseDefaults, url: pair.primary.adminUrl })
  expect(alone.position).toBeUndefined()
})

test('after its promotion, the former standby serves no reads', async () => {
  const since = await positionNow()
  await untilReplayed(since)
  await runSql(pair.standby.adminUrl, 'select pg_promote()')
  await write('c')
  expect(await readWords(since)).toEqual({ words: ['a', 'b', 'c'], is_standby: false })
})
