/**
 * Money is whole cents and quantities are whole thousandths, as `bigint`: exact, however large. A JavaScript number
 * never holds an amount.
 */

/** Cents of a decimal with two places, as the API and `numeric(…, 2)` write them: `-12.50`. */
export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''))

/** Cents as a decimal with two places. */
export function amountOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Thousandths of a quantity that has at most three decimal places; its shortest decimal text is what was meant. */
export function thousandthsOf(quantity: number): bigint {
  const [whole = '', fraction = ''] = String(quantity).split('.')
  return BigInt(whole + fraction.padEnd(3, '0'))
}

/** Thousandths as a decimal with three places. */
export function quantityOf(thousandths: bigint): string {
  const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0')
  return `${thousandths < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

/** One line of an order or an invoice. */
export interface PricedLine {
  readonly quantity: number
  readonly unitPrice: string
}

/** Quantity × unit price in cents, half a cent rounded up. Neither is negative. */
export function lineTotal({ quantity, unitPrice }: PricedLine): bigint {
  return (thousandthsOf(quantity) * centsOf(unitPrice) + 500n) / 1_000n
}

/** The total of lines that are rounded one by one. */
export const linesTotal = (lines: readonly PricedLine[]): bigint => sum(lines.map(lineTotal))

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => one + other, 0n)

/** What an amount in the books can be at most, in cents: `numeric(15, 2)`. */
export const maxCents = 999_999_999_999_999n
