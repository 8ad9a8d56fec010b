import { alternate, type Drive, type Load, median, medianRatio, type Sample, type Target } from './measure.ts'

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

/** One row in the table of comparisons. */
export interface Finding {
  readonly case: string
  readonly one: string
  readonly other: string
  readonly ratio: number
  readonly target: string
  readonly met: string
}

/** Compares the throughput of two sides. `least` is the minimum ratio of the first side to the second side. */
export async function compareThroughput(
  name: string,
  [one, other]: readonly [Side, Side],
  { least, plan: { load, rounds } }: { readonly least: number; readonly plan: Plan },
): Promise<Finding> {
  const comparison = await alternate(rounds, run(one, load), run(other, load))
  const ratio = medianRatio(comparison)
  const shown = ({ label }: Side, samples: readonly Sample[]) => `${label} ${Math.round(rateOf(samples))} /s`
  return progress({
    case: name,
    one: shown(one, comparison.a),
    other: shown(other, comparison.b),
    ratio: Number(ratio.toFixed(2)),
    target: `≥ ${least}`,
    met: ratio >= least ? 'yes' : `short by ${(least - ratio).toFixed(2)}`,
  })
}

/**
 * Compares the latency of two sides. Uses one connection, so that requests never queue. Computes the latency from the
 * throughput, because the latency histogram contains only whole milliseconds.
 */
export async function compareLatency(
  name: string,
  [one, other]: readonly [Side, Side],
  { most, plan: { load, rounds } }: { readonly most: number; readonly plan: Plan },
): Promise<Finding> {
  const alone = { ...load, connections: 1 }
  const comparison = await alternate(rounds, run(one, alone), run(other, alone))
  const ratio = 1 / medianRatio(comparison)
  const shown = ({ label }: Side, samples: readonly Sample[]) =>
    `${label} ${(1_000 / rateOf(samples)).toFixed(3)} ms`
  return progress({
    case: name,
    one: shown(one, comparison.a),
    other: shown(other, comparison.b),
    ratio: Number(ratio.toFixed(2)),
    target: `≤ ${most}`,
    met: ratio <= most ? 'yes' : `over by ${(ratio - most).toFixed(2)}`,
  })
}

const run =
  ({ drive, target }: Side, load: Load) =>
  () =>
    drive(target, load)

const rateOf = (samples: readonly Sample[]): number =>
  median(samples.map(({ requestsPerSecond }) => requestsPerSecond))

/** Logs each finding immediately, because a run takes minutes. */
function progress(finding: Finding): Finding {
  console.log(`${finding.case}: ${finding.one}, ${finding.other}: ${finding.ratio}`)
  return finding
}
