/** One row in the table of absolute figures. */
export interface Figure {
  readonly case: string
  readonly measured: string
  readonly target: string
  readonly met: string
}

/** A value with its unit and its target. */
export interface Measured {
  readonly value: number
  readonly unit: string
  readonly bound: { readonly most: number } | { readonly least: number }
}

/** Compares a value with its target. Logs the result immediately, because a run takes minutes. */
export function toFigure(name: string, { value, unit, bound }: Measured): Figure {
  const isCeiling = 'most' in bound
  const limit = isCeiling ? bound.most : bound.least
  const lack = isCeiling ? value - limit : limit - value
  const round = (number: number) => Number(number.toPrecision(3)).toLocaleString('en')
  const measured = `${round(value)} ${unit}`
  console.log(`${name}: ${measured}`)
  return {
    case: name,
    measured,
    target: `${isCeiling ? '≤' : '≥'} ${limit.toLocaleString('en')}`,
    met: lack <= 0 ? 'yes' : `${isCeiling ? 'over' : 'short'} by ${round(lack)}`,
  }
}

/** Returns a percentile. For the share 0.99, it is the value that 99 % of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}
