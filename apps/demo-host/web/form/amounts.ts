/** Reads and writes typed numbers in the notation of a language. */
export interface TypedNumbers {
  /** Converts a typed amount to one with two decimal places: `12` becomes `12.00`. Returns other text unchanged. */
  tidyAmount(text: string): string
  /** Returns the text of a complete amount that {@link tidyAmount} converts back to it. Returns other text unchanged. */
  amountText(amount: string): string
  /** Returns whether a text is an amount with more digits than the service accepts. */
  isTooLarge(text: string): boolean
  /** Parses a typed quantity. Returns other text unchanged, so that the service refuses it with an error for the field. */
  quantityOf(text: string): number | string
  /** Returns the text of a quantity that {@link quantityOf} converts back to it. */
  quantityText(quantity: number): string
}

/**
 * Returns the functions for a language. They write its digits and accept those of all scripts. They accept its decimal sign and
 * its group sign, as in `1,234.50`. A point or a comma before at most two digits is a decimal sign, too: no group is that
 * short. They refuse everything else, for example the English `0,125`, which is 125 or an eighth.
 */
export function typedNumbers(language?: string): TypedNumbers {
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.8)
  const signOf = (type: 'decimal' | 'group') => parts.find((part) => part.type === type)?.value ?? ''
  const decimal = signOf('decimal')
  const group = patternOf(signOf('group'))
  const whole = `(\\d+|[1-9]\\d{0,2}(?:${group}\\d{2,3})*${group}\\d{3})`
  const digits = [...new Intl.NumberFormat(language, { useGrouping: false }).format(9_876_543_210)].reverse()
  const ownNotation = new RegExp(`^${whole}(?:${patternOf(decimal)}(\\d*))?$`, 'u')

  /** Returns the digits before and after the decimal sign. Undefined if the text is no number. */
  const digitsOf = (text: string): readonly [whole: string, places: string] | undefined => {
    const typed = withAsciiDigits(text.trim())
    const [, before, after = ''] = ownNotation.exec(typed) ?? /^(\d+)[.,](\d{0,2})$/.exec(typed) ?? []
    return before === undefined ? undefined : [before.replace(/\D/g, '').replace(/^0+(?=\d)/, ''), after]
  }
  const inOwnNotation = (number: string): string =>
    number.replace(/\d/g, (digit) => digits[Number(digit)] ?? digit).replace('.', decimal)
  return {
    tidyAmount(text) {
      const [before = '', places = ''] = digitsOf(text) ?? []
      return /^\d{1,13}$/.test(before) && places.length <= 2 ? `${before}.${places.padEnd(2, '0')}` : text
    },
    quantityOf(text) {
      const [before = '', places = ''] = digitsOf(text) ?? []
      if (before === '' || places.length > 3) return text
      // The service refuses this maximum as too large. JSON writes larger numbers with an exponent or as null.
      return Math.min(Number(`${before}.${places}`), Number.MAX_SAFE_INTEGER)
    },
    isTooLarge: (text) => (digitsOf(text)?.[0].length ?? 0) > 13,
    amountText: (amount) => (isAmount(amount) ? inOwnNotation(amount) : amount),
    quantityText: (quantity) => inOwnNotation(String(quantity)),
  }
}

/** The numbers of this page: its browser's language determines how it shows amounts. */
export const { tidyAmount, amountText, isTooLarge, quantityOf, quantityText } = typedNumbers()

/** A number with all signs that a user can type. */
export const numberExample: string = new Intl.NumberFormat().format(1_234.5)

/** The largest amount that the service accepts, as a user can type it. */
export const largestAmount: string = new Intl.NumberFormat().format('9999999999999.99')

/** The largest quantity that the service accepts. */
export const maxQuantity = 1_000_000_000

/** Returns whether a text is a complete amount with two decimal places. */
export const isAmount = (text: string): boolean => /^\d{1,13}\.\d{2}$/.test(text)

/** Replaces the digits of all scripts. Unicode has them in series from 0 to 9, and some of these series adjoin. */
const withAsciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let before = 0
    while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1
    return String(before % 10)
  })

/** Returns the pattern of a sign. Spaces and apostrophes have several forms, and a keyboard types only one of them. */
function patternOf(sign: string): string {
  if (/\s/.test(sign)) return '\\s'
  return /['’]/.test(sign) ? "['’]" : `[${sign}]`
}
