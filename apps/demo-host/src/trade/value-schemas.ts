import { codePointCount, OneLineText } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** An amount of money, zero or positive. It is a string with two decimal places, because a number would lose precision. */
export const Amount = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9]\d{0,12})\.\d{2}$/, 'expected an amount with two decimal places, such as 12.50'),
)

/** An amount above zero. */
export const PositiveAmount = v.pipe(Amount, v.regex(/[1-9]/, 'expected an amount above zero'))

/** A quantity above zero with up to three decimal places. */
export const Quantity = v.pipe(
  v.number(),
  v.maxValue(1_000_000_000, 'expected a number of at most 1,000,000,000'),
  v.check(
    (quantity) => quantity > 0 && /^\d+(\.\d{1,3})?$/.test(String(quantity)),
    'expected a number above zero with at most three decimal places',
  ),
)

/** A calendar date such as `2026-12-31`. */
export const CalendarDate = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a date such as 2026-12-31'),
  v.check(isCalendarDate, 'expected a valid date'),
)

/**
 * Returns a schema that trims a text and accepts one line of 1 to `maxChars` code points. Converts the text to NFC, so a search
 * finds it however it was typed.
 */
export const text = (maxChars: number) =>
  v.pipe(
    OneLineText,
    v.normalize('NFC'),
    v.check(
      (value) => value !== '' && codePointCount(value) <= maxChars,
      `expected 1 to ${maxChars} characters`,
    ),
  )

function isCalendarDate(day: string): boolean {
  const instant = new Date(`${day}T00:00:00.000Z`)
  // JavaScript accepts the year 0. The calendar and PostgreSQL do not have this year.
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day) && !day.startsWith('0000')
}
