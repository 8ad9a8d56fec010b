import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  amountOf,
  centsOf,
  linesTotal,
  lineTotal,
  quantityOf,
  thousandthsOf,
} from '../../../src/trade/ledger/money.ts'
import { Amount, Quantity } from '../../../src/trade/value-schemas.ts'

let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase(inject('postgresUrl'))
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const cents = fc.bigInt({ min: 0n, max: 999_999_999_999_999n })
/** Generates valid quantities: numbers up to 1,000,000,000 with at most three decimal places. */
const quantity = fc
  .oneof(fc.integer({ min: 1, max: 1_000_000_000_000 }), fc.integer({ min: 1, max: 9_999 }))
  .map((thousandths) =>
    Number(`${Math.floor(thousandths / 1_000)}.${String(thousandths % 1_000).padStart(3, '0')}`),
  )
const line = fc.record({ quantity, unitPrice: cents.map(amountOf) })

test.each([
  [1.5, '0.33', '0.50'],
  [0.001, '4.99', '0.00'],
  [0.001, '5.00', '0.01'],
  [0.005, '1.00', '0.01'],
  [1.005, '1.00', '1.01'],
  [2.675, '1.00', '2.68'],
  [3, '0.10', '0.30'],
  [1_000_000_000, '9999999999999.99', '9999999999999990000000.00'],
])('the total of a line with quantity %s and unit price %s is %s', (howMany, unitPrice, total) => {
  expect(amountOf(lineTotal({ quantity: howMany, unitPrice }))).toBe(total)
})

test('amounts and quantities stay the same after conversion to text and back', () => {
  fc.assert(
    fc.property(cents, quantity, (amount, howMuch) => {
      expect(centsOf(amountOf(amount))).toBe(amount)
      expect(centsOf(amountOf(-amount))).toBe(-amount)
      expect(v.is(Amount, amountOf(amount))).toBe(true)
      expect(v.is(Quantity, howMuch)).toBe(true)
      expect(Number(quantityOf(thousandthsOf(howMuch)))).toBe(howMuch)
      expect(quantityOf(-thousandthsOf(howMuch))).toBe(`-${quantityOf(thousandthsOf(howMuch))}`)
    }),
  )
})

test('calculated totals are equal to the totals that PostgreSQL calculates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 40 }), async (lines) => {
      const rows = await database.read((db) =>
        db.execute<{ total: string }>(sql`
          select sum(round((line ->> 'quantity')::numeric * (line ->> 'unitPrice')::numeric, 2))::text as total
          from jsonb_array_elements(${JSON.stringify(lines)}::jsonb) as line`),
      )
      expect(amountOf(linesTotal(lines))).toBe(rows[0]?.total)
    }),
    { numRuns: 300 },
  )
})
