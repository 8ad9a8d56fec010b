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
])('the input "%s" is converted to the amount %s', (typed, amount) => {
  expect(tidyAmount(typed)).toBe(amount)
  expect(isAmount(tidyAmount(typed))).toBe(true)
})

test.each(['', 'twelve', '1.234', '-1', '1e3', '12345678901234', '1,234.00', '.5'])(
  'the input "%s" is not an amount and stays unchanged',
  (typed) => {
    expect(tidyAmount(typed)).toBe(typed)
    expect(isAmount(typed)).toBe(false)
  },
)

test('input with at most three decimal places is converted to a number, and other input stays unchanged', () => {
  expect(['2', '2.5', '2,125', ' 3 '].map(quantityOf)).toEqual([2, 2.5, 2.125, 3])
  expect(['', 'many', '1.2345', '-1', '0x10'].map(quantityOf)).toEqual(['', 'many', '1.2345', '-1', '0x10'])
})
