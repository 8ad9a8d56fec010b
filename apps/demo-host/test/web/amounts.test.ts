import { expect, test } from 'vitest'
import { isAmount, typedNumbers } from '../../web/form/amounts.ts'

const { tidyAmount, quantityOf } = typedNumbers('en')

test.each([
  ['12', '12.00'],
  ['12.5', '12.50'],
  ['12,5', '12.50'],
  [' 12.34 ', '12.34'],
  ['007', '7.00'],
  ['0', '0.00'],
  ['1,234', '1234.00'],
  ['1,234.50', '1234.50'],
  ['9999999999999.99', '9999999999999.99'],
  ['9,999,999,999,999.99', '9999999999999.99'],
])('the input "%s" is converted to the amount %s', (typed, amount) => {
  expect(tidyAmount(typed)).toBe(amount)
  expect(isAmount(tidyAmount(typed))).toBe(true)
})

test.each(['', 'twelve', '1.234', '-1', '1e3', '12345678901234', '1.234,00', '1,23,4', '0,125', '.5'])(
  'the input "%s" is not an amount and stays unchanged',
  (typed) => {
    expect(tidyAmount(typed)).toBe(typed)
    expect(isAmount(typed)).toBe(false)
  },
)

test('a quantity with at most three decimal places is converted to a number, and other input stays unchanged', () => {
  expect(['2', '2.5', '2,5', '2.125', '5,000', '1,234.5', ' 3 '].map(quantityOf)).toEqual([
    2, 2.5, 2.5, 2.125, 5000, 1234.5, 3,
  ])
  const refused = ['', 'many', '1.2345', '1,2345', '0,125', '1234,567', '-1', '0x10']
  expect(refused.map(quantityOf)).toEqual(refused)
})

test.each([
  ['en', '5,000', '5,000.25'],
  ['de', '5.000', '5.000,25'],
  ['fr', '5 000', '5 000,25'],
  ['de-CH', "5'000", "5'000.25"],
  ['en-IN', '51,23,000', '51,23,000.25'],
  ['ar-EG', '٥٬٠٠٠', '٥٬٠٠٠٫٢٥'],
  ['fa', '۵٬۰۰۰', '۵٬۰۰۰٫۲۵'],
  ['mr', '५,०००', '५,०००.२५'],
])('in %s, a number can have the signs with which the page displays it', (language, typed, withPlaces) => {
  const numbers = typedNumbers(language)
  const whole = language === 'en-IN' ? 5_123_000 : 5000
  expect(numbers.quantityOf(typed)).toBe(whole)
  expect(numbers.tidyAmount(withPlaces)).toBe(`${whole}.25`)
  const shown = { minimumFractionDigits: 2, useGrouping: false }
  expect(numbers.amountText('1234.50')).toBe(new Intl.NumberFormat(language, shown).format(1234.5))
  expect(numbers.tidyAmount(numbers.amountText('1234.50'))).toBe('1234.50')
  for (const quantity of [5000, 0.125, 1234.567]) {
    expect(numbers.quantityOf(numbers.quantityText(quantity))).toBe(quantity)
    expect(numbers.quantityOf(new Intl.NumberFormat(language).format(quantity))).toBe(quantity)
  }
  // The service and the form write amounts with a point.
  expect(numbers.tidyAmount('1234.50')).toBe('1234.50')
})

test.each([
  ['en', '١٢.٥'],
  ['en', '１２.５'],
  ['ar-EG', '12.5'],
  ['ar-EG', '۱۲٫۵'],
  ['fa', '12,5'],
])('in %s, the digits of "%s" can be of any script', (language, typed) => {
  const { tidyAmount, quantityOf } = typedNumbers(language)
  expect([tidyAmount(typed), quantityOf(typed)]).toEqual(['12.50', 12.5])
})
