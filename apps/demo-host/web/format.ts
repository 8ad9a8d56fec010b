/** A decimal number as text, because a JavaScript number would round amounts with more than 15 digits. */
type Decimal = Intl.StringNumericLiteral

/** The formats of one language. */
export interface Formats {
  /** Formats an amount such as `1234.50`. Returns other text unchanged. */
  formatMoney(amount: string): string
  /** Formats a quantity with at most three decimal places. */
  formatQuantity(quantity: number): string
  /** Formats a date such as `2026-12-31`. The user's time zone does not change the date. */
  formatDay(text: string): string
  /** Formats the date of an instant in the user's time zone. */
  formatDayOf(instant: string): string
  /** Formats a month such as `2026-12`. */
  formatMonth(text: string): string
}

/** Returns the formats of a language as a BCP 47 tag. Undefined is the language of the browser. */
export function formatsIn(locale: string | undefined): Formats {
  const money = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const localDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const monthName = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' })
  return {
    formatMoney: (amount) => (/^-?\d+\.\d{2}$/.test(amount) ? money.format(amount as Decimal) : amount),
    formatQuantity: (quantity) => plain.format(quantity),
    formatDay(text) {
      const instant = new Date(`${text}T00:00:00Z`)
      return Number.isNaN(instant.getTime()) ? text : day.format(instant)
    },
    formatDayOf: (instant) => localDay.format(new Date(instant)),
    formatMonth: (text) => monthName.format(new Date(`${text}-01T00:00:00Z`)),
  }
}

/** The formats of the page, in the language of the browser. The panels of the kit can have another language. */
export const { formatMoney, formatQuantity, formatDay, formatDayOf, formatMonth }: Formats =
  formatsIn(undefined)

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
