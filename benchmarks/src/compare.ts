import { type Bound, type Finding, logged, type SideResult, times } from './finding.ts'
import { alternate, type Comparison, type Drive, type Load, type Target } from './measure.ts'
import { summarize } from './statistics.ts'

/** One of the two sides of a comparison. */
export interface Side {
  readonly label: string
  readonly drive: Drive
  readonly target: Target
}

/** The options of a run: the chosen cases, the amount of data, the duration and the number of repetitions. */
export interface Plan {
  readonly documents: number
  readonly load: Load
  readonly rounds: number
  isChosen(name: string): boolean
}

/** Compares the throughput of two sides. `least` is the minimum ratio of the first side to the second side. */
export async function compareThroughput(
  name: string,
  [one, other]: readonly [Side, Side],
  { least, plan: { load, rounds } }: { readonly least: number; readonly plan: Plan },
): Promise<Finding> {
  const comparison = await alternate(rounds, run(one, load), run(other, load))
  const rates = ratesOf(comparison)
  return logged(
    ratioOf({ name, bound: { least }, labels: [one.label, other.label], unit: '/s', rounds: rates }),
  )
}

/** The values of two sides. Values with the same index belong to the same round. */
export interface Ratio {
  readonly name: string
  readonly labels: readonly [string, string]
  readonly unit: string
  readonly rounds: { readonly a: readonly number[]; readonly b: readonly number[] }
  readonly bound?: Bound
}

/** Summarizes the ratios A/B of all rounds. The two runs of one round have similar conditions. */
export function ratioOf({ name, labels, unit, rounds: { a, b }, bound }: Ratio): Finding {
  const side = (label: string, values: readonly number[]): SideResult => ({
    ...{ label, unit },
    ...summarize(values),
  })
  return {
    case: name,
    ...summarize(a.map((value, round) => value / (b[round] ?? Number.NaN))),
    unit: times,
    sides: [side(labels[0], a), side(labels[1], b)],
    ...(bound === undefined ? {} : { bound }),
  }
}

const run =
  ({ drive, target }: Side, load: Load) =>
  () =>
    drive(target, load)

const ratesOf = ({ a, b }: Comparison) => ({
  a: a.map(({ requestsPerSecond }) => requestsPerSecond),
  b: b.map(({ requestsPerSecond }) => requestsPerSecond),
})
