/** A decimal number as text, because a JavaScript number would round amounts with more than 15 digits. */
type Decimal = Intl.StringNumericLiteral

const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

const monthName = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' })

/** Formats an amount such as `1234.50` in the user's language. Returns other text unchanged. */
export const formatMoney = (amount: string): string =>
  /^-?\d+\.\d{2}$/.test(amount) ? money.format(amount as Decimal) : amount

/** Formats a quantity with at most three decimal places. */
export const formatQuantity = (quantity: number): string => plain.format(quantity)

/** Formats a date such as `2026-12-31`, or the date part of an instant. The user's time zone does not change the date. */
export function formatDay(text: string): string {
  const instant = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(instant.getTime()) ? text : day.format(instant)
}

/** Formats a month such as `2026-12`. */
export const formatMonth = (text: string): string => monthName.format(new Date(`${text}-01T00:00:00Z`))

/** Returns the initials of a person: at most two letters. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .join('')
    .toUpperCase()

/** Returns the message of an error for the user. */
export const messageOf = (error: { readonly code: string; readonly message: string }): string =>
  error.code === 'client.unreachable'
    ? 'The service cannot be reached. Check your network connection and try again.'
    : error.message

/** Returns the title of the page for a view: the most specific name first. */
export const pageTitle = (...names: readonly (string | null)[]): string =>
  [...names, 'Vertical Kit demo'].filter((name) => name !== null).join(' · ')
