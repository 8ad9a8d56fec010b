import { expect, test } from 'vitest'
import { isAmount, quantityOf, tidyAmount } from '../../web/form/amounts.ts'

test.each([
  ['12', '12.00'],
  ['12.5', '12.50'],
  ['12,5', '12.50'],
  [' 12.34 ', '12.34'],
  ['007', '7.00'],
  ['0', '0.00'],
  ['9999999999999.99', '9999999999999.99'],
])('converts the amount "%s" to %s', (typed, amount) => {
  expect(tidyAmount(typed)).toBe(amount)
  expect(isAmount(tidyAmount(typed))).toBe(true)
})

test.each(['', 'twelve', '1.234', '-1', '1e3', '12345678901234', '1,234.00', '.5'])(
  'keeps invalid amounts unchanged: "%s"',
  (typed) => {
    expect(tidyAmount(typed)).toBe(typed)
    expect(isAmount(typed)).toBe(false)
  },
)

test('converts quantities with at most three places to numbers and keeps other input for the service to refuse', () => {
  expect(['2', '2.5', '2,125', ' 3 '].map(quantityOf)).toEqual([2, 2.5, 2.125, 3])
  expect(['', 'many', '1.2345', '-1', '0x10'].map(quantityOf)).toEqual(['', 'many', '1.2345', '-1', '0x10'])
})
