import { toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isStoredInstant } from '../src/instant.ts'
import { openDatabase, openPool } from './harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

test.each([
  ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00.1+00', '2026-01-31T12:00:00.100Z'],
  ['2026-01-31 12:00:00.123999+00', '2026-01-31T12:00:00.123Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ['0044-03-15 12:00:00.5+00', '0044-03-15T12:00:00.500Z'],
  ['0099-12-31 23:59:59.999999+00', '0099-12-31T23:59:59.999Z'],
  ['9999-12-31 23:59:59.999999+00', '9999-12-31T23:59:59.999Z'],
])('toInstant converts %s to %s', (stored, instant) => {
  expect(toInstant(stored)).toBe(instant)
  expect(toInstantOrNull(stored)).toBe(instant)
})

test('toInstantOrNull converts null to null', () => {
  expect(toInstantOrNull(null)).toBeNull()
})

test.each(['10000-01-01 00:00:00+00', '0044-03-15 00:00:00+00 BC', 'infinity', '-infinity'])(
  'toInstant rejects %s, which the wire format cannot represent',
  (stored) => {
    expect(() => toInstant(stored)).toThrow(new RangeError('An instant is outside the years 1 to 9999.'))
  },
)

// The property generates days and microseconds of a day, because one number cannot represent every microsecond exactly.
// With rounded numbers, the property would fail at random and then shrink endlessly.
const dayMs = 86_400_000
const daysOf = { min: Date.parse('0001-01-01T00:00:00Z') / dayMs, max: Date.UTC(9999, 11, 31) / dayMs }

test('isStoredInstant accepts every instant that PostgreSQL writes, including microseconds', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  await fc.assert(
    fc.asyncProperty(fc.integer(daysOf), fc.nat(dayMs * 1000 - 1), async (days, microseconds) => {
      const [row] = await database.read((db) =>
        db.execute<{ at: string }>(
          sql`select 'epoch'::timestamptz + make_interval(days => ${days}::int)
                     + ${microseconds}::bigint * interval '1 microsecond' as at`,
        ),
      )
      const at = row?.at ?? ''
      expect(isStoredInstant(at)).toBe(true)
      expect(Date.parse(toInstant(at))).toBe(days * dayMs + Math.floor(microseconds / 1000))
    }),
    { interruptAfterTimeLimit: 20_000 },
  )
})

test('PostgreSQL accepts every text that isStoredInstant accepts', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const two = (max: number) => fc.nat(max).map((value) => String(value).padStart(2, '0'))
  const nearly = fc
    .tuple(fc.nat(9999), two(14), two(34), two(26), two(62), two(62), fc.nat(9_999_999))
    .map(([year, month, day, hour, minute, second, fraction]) => {
      const date = `${String(year).padStart(4, '0')}-${month}-${day}`
      return `${date} ${hour}:${minute}:${second}${fraction % 3 === 0 ? '' : `.${fraction}`}+00`
    })
  await fc.assert(
    fc.asyncProperty(nearly.filter(isStoredInstant), async (text) => {
      await database.read((db) => db.execute(sql`select ${text}::timestamptz`))
    }),
    {
      examples: [['2024-02-29 23:59:59.999999+00'], ['0001-01-01 00:00:00+00'], ['0044-03-15 00:00:00+00']],
      interruptAfterTimeLimit: 20_000,
    },
  )
})

test.each([
  '',
  'now',
  'infinity',
  '2026-01-31',
  '2026-01-31T12:00:00Z',
  '2026-02-31 12:00:00+00',
  '2025-02-29 12:00:00+00',
  '2026-13-01 12:00:00+00',
  '2026-01-31 24:00:00+00',
  '2026-01-31 12:60:00+00',
  '2026-01-31 12:00:60+00',
  '0000-01-01 00:00:00+00',
  '2026-01-31 12:00:00.1234567+00',
  '2026-01-31 12:00:00+01',
  '2026-01-31 12:00:00+00 ',
])('isStoredInstant rejects %j', (text) => {
  expect(isStoredInstant(text)).toBe(false)
})
