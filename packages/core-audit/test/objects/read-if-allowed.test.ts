import type { Db } from '@vertical-kit/core-audit/database'
import { readIfAllowed } from '@vertical-kit/core-audit/objects'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const numberOf = async (db: Db): Promise<unknown> => (await db.execute(sql`select 7 as number`))[0]
const failing = (db: Db) => db.execute(sql`select 1 / 0`)

/** Reads a number, checks at the same time, and fails the check with this error. */
async function refuse(db: Db, error: Error): Promise<never> {
  await numberOf(db)
  throw error
}

test('the result of the read is returned when the check passes', async () => {
  const pool = openPool(fresh.url)
  expect(await pool.read((db) => readIfAllowed(numberOf(db), numberOf(db)))).toEqual({ number: 7 })
})

test('a failed check rejects, whether the read succeeds or fails', async () => {
  const pool = openPool(fresh.url)
  const refusal = new Error('refused')
  for (const read of [numberOf, failing]) {
    await expect(pool.read((db) => readIfAllowed(refuse(db, refusal), read(db)))).rejects.toBe(refusal)
  }
  const early = pool.read((db) => readIfAllowed(Promise.reject(refusal), failing(db)))
  await expect(early).rejects.toBe(refusal)
})

test('a failed read rejects when the check passes, and its connection stays usable', async () => {
  const pool = openPool(fresh.url, { poolMax: 1 })
  const failed = pool.read((db) => readIfAllowed(numberOf(db), failing(db)))
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  expect(await pool.read(numberOf)).toEqual({ number: 7 })
})
