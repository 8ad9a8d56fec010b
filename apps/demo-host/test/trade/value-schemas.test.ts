import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Amount, CalendarDate, PositiveAmount, Quantity, text } from '../../src/trade/value-schemas.ts'

const accepts = (schema: v.GenericSchema, input: unknown) => v.safeParse(schema, input).success

test.each([
  ['0.00', true],
  ['12.50', true],
  ['9999999999999.99', true],
  ['12.5', false],
  ['12', false],
  ['12.500', false],
  ['-1.00', false],
  ['01.00', false],
  ['1e3.00', false],
  ['10000000000000.00', false],
  ['1.00\n', false],
  [12.5, false],
  [null, false],
])('validation of the amount %j returns %s', (input, expected) => {
  expect(accepts(Amount, input)).toBe(expected)
})

test('the schema of positive amounts refuses zero', () => {
  expect(accepts(PositiveAmount, '0.00')).toBe(false)
  expect(accepts(PositiveAmount, '0.01')).toBe(true)
})

test.each([
  [1, true],
  [0.001, true],
  [1_000_000_000, true],
  [0, false],
  [-1, false],
  [0.0001, false],
  [1e-7, false],
  [1_000_000_001, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
  ['2', false],
])('validation of the quantity %j returns %s', (input, expected) => {
  expect(accepts(Quantity, input)).toBe(expected)
})

test.each([
  ['2026-12-31', true],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['0000-01-01', false],
  ['0001-01-01', true],
  ['9999-12-31', true],
  ['2026-12-31T00:00:00.000Z', false],
  ['31.12.2026', false],
  ['', false],
])('validation of the calendar date %j returns %s', (input, expected) => {
  expect(accepts(CalendarDate, input)).toBe(expected)
})

test('the text schema trims its input and counts code points', () => {
  expect(v.parse(text(3), '  👍👍👍 ')).toBe('👍👍👍')
  expect(accepts(text(3), '👍👍👍👍')).toBe(false)
  expect(accepts(text(3), ' \n ')).toBe(false)
  expect(accepts(text(3), 'a\0')).toBe(false)
  expect(accepts(text(3), '\ud800')).toBe(false)
})
