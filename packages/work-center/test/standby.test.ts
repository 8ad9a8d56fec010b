import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type StandbyPair, startStandbyPair } from '../../../vitest.standby.ts'
import { currentSnapshot, hadArrived } from '../src/queries/read-through.ts'

let pair: StandbyPair
let database: Database
beforeAll(async () => {
  pair = await startStandbyPair(async () => {})
  const { adminUrl: url } = pair.primary
  database = createDatabase({ ...databaseDefaults, url, readUrl: pair.standby.adminUrl })
  await database.statement((tx) => tx.execute(sql`create table public.items (arrived_in xid8)`))
})
afterAll(async () => {
  await database.close()
  await pair.stop()
})

test('the page of a standby contains no item of a transaction that was still running', async () => {
  const insert = sql`insert into public.items (arrived_in) values (pg_current_xact_id())`
  const running = await holdTransaction(database, (tx) => tx.execute(insert))
  await database.statement((tx) => tx.execute(insert))
  const [row] = await database.read((db) =>
    db.execute<{ since: string }>(sql`select ${database.position ?? sql`null`} as since`),
  )
  const snapshot = await vi.waitUntil(
    () =>
      database.read(async (db) => {
        const [page] = await db.execute<{ snapshot: string; is_standby: boolean }>(sql`
          select ${currentSnapshot} as snapshot, pg_is_in_recovery() as is_standby`)
        return page?.is_standby && page.snapshot
      }, row?.since),
    { interval: 5, timeout: 30_000 },
  )
  await running.commit()
  const arrived = await database.read((db) =>
    db.execute(sql`select from public.items e where ${hadArrived(String(snapshot))}`),
  )
  expect(arrived).toEqual([])
})
