import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTimeZone, firstKnownName, namesOfTimeZone } from '../../src/mail/time-zone.ts'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

/** The names that browsers report, such as `Asia/Calcutta`. */
const reported = Intl.supportedValuesOf('timeZone')

test('a former name of a time zone has the current name, too, and both are the same zone', async () => {
  const pairs = reported.map(namesOfTimeZone).filter(({ length }) => length === 2)
  expect(pairs).toContainEqual(['Asia/Calcutta', 'Asia/Kolkata'])
  expect(namesOfTimeZone('europe/kyiv')).toEqual(['europe/kyiv', 'Europe/Kiev'])
  expect(pairs.length).toBeGreaterThan(10)
  const times = ['1995-07-01', '2010-01-01', '2030-07-01']
  for (const [former, current] of pairs) {
    const rows = await database.read((db) =>
      db.execute(sql`
        select from unnest(${sql.param(times)}::timestamptz[]) at
        where at at time zone ${former} <> at at time zone ${current}`),
    )
    expect(rows, `${former} ${current}`).toHaveLength(0)
  }
})

test('the name that the database knows is stored', async () => {
  const find = (name: string) => database.read((db) => findTimeZone(db, name))
  expect(await find('Asia/Calcutta')).toBe('Asia/Calcutta')
  expect(await find('europe/vienna')).toBe('Europe/Vienna')
  expect(await find('CET')).toBe('Europe/Brussels')
  const first = (...names: readonly string[]) => database.read((db) => firstKnownName(db, names))
  expect(await first('Asia/Unknown', 'Asia/Kolkata')).toBe('Asia/Kolkata')
  expect(await first('Asia/Unknown')).toBeUndefined()
  await expect(find('Mars/Olympus')).rejects.toMatchObject({
    code: 'request.invalid',
    errors: [{ path: 'timeZone', message: 'expected a time zone that the database knows' }],
  })
})
