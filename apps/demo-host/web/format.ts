/** Decimal text, exactly: a number would round amounts past 15 digits. */
type Decimal = Intl.StringNumericLiteral

const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** `1234.50` as the user's language writes it. What is no amount stays as it is. */
export const formatMoney = (amount: string): string =>
  /^-?\d+\.\d{2}$/.test(amount) ? money.format(amount as Decimal) : amount

/** A quantity of at most three decimal places. */
export const formatQuantity = (quantity: number): string => plain.format(quantity)

/** A day of the calendar, which is the same everywhere: `2026-12-31`, or the start of an instant. */
export function formatDay(text: string): string {
  const instant = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(instant.getTime()) ? text : day.format(instant)
}

/** Two letters for a person. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .join('')
    .toUpperCase()

/** What of a problem to tell the user. */
export const messageOf = (error: { readonly code: string; readonly message: string }): string =>
  error.code === 'client.unreachable'
    ? 'The service cannot be reached. Check your network connection.'
    : error.message
