/** Returns the median. Single slow runs on a busy machine do not affect it. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns a percentile. For the share 0.99, it is the value that 99 % of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return ascending(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN
}

/** The median of several values, with the first and the third quartile. */
export interface Summary {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Summarizes the values of all rounds. Half of them are between `low` and `high`. */
export const summarize = (values: readonly number[]): Summary => ({
  median: median(values),
  low: percentile(values, 0.25),
  high: percentile(values, 0.75),
})

const ascending = (values: readonly number[]): number[] => [...values].sort((one, other) => one - other)
