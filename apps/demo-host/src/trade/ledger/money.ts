/**
 * We calculate with `bigint`: amounts in cents and quantities in thousandths. These integers are exact at any size, but
 * JavaScript numbers are not.
 */

/** Converts a decimal with two places, such as `-12.50`, to cents. The API and `numeric(…, 2)` use this format. */
export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''))

/** Converts cents to a decimal with two places. */
export function amountOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Converts a quantity with at most three decimal places to thousandths. `String` returns exactly these places. */
export function thousandthsOf(quantity: number): bigint {
  const [whole = '', fraction = ''] = String(quantity).split('.')
  return BigInt(whole + fraction.padEnd(3, '0'))
}

/** Converts thousandths to a decimal with three places. */
export function quantityOf(thousandths: bigint): string {
  const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0')
  return `${thousandths < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

/** One line of an order or an invoice. */
export interface PricedLine {
  readonly quantity: number
  readonly unitPrice: string
}

/** Returns quantity × unit price in cents. Half a cent is rounded up. Both factors must be zero or positive. */
export function lineTotal({ quantity, unitPrice }: PricedLine): bigint {
  return (thousandthsOf(quantity) * centsOf(unitPrice) + 500n) / 1_000n
}

/** Returns the total of the lines in cents. Each line is rounded before the addition. */
export const linesTotal = (lines: readonly PricedLine[]): bigint => sum(lines.map(lineTotal))

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => one + other, 0n)

/** The largest amount in the books, in cents. It is the maximum of `numeric(15, 2)`. */
export const maxCents = 999_999_999_999_999n
