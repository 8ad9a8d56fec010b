/**
 * Amounts are whole cents and quantities are whole thousandths, as `bigint`, so they are exact at any size. Amounts are
 * never JavaScript numbers.
 */

/** Converts a decimal with two places, the format of the API and of `numeric(…, 2)`, to cents: `-12.50`. */
export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''))

/** Converts cents to a decimal with two places. */
export function amountOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Converts a quantity with at most three places to thousandths. Its shortest decimal text equals the input. */
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

/** Returns quantity × unit price in cents, with half cents rounded up. Both must be zero or positive. */
export function lineTotal({ quantity, unitPrice }: PricedLine): bigint {
  return (thousandthsOf(quantity) * centsOf(unitPrice) + 500n) / 1_000n
}

/** Returns the total of the lines. Each line is rounded before they are added. */
export const linesTotal = (lines: readonly PricedLine[]): bigint => sum(lines.map(lineTotal))

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => one + other, 0n)

/** The largest amount in the books, in cents: `numeric(15, 2)`. */
export const maxCents = 999_999_999_999_999n
