import { median } from '../statistics.ts'

/** A run of one side: the throughput, and the CPU time of the host and the database per request. */
export interface Run {
  readonly requestsPerSecond: number
  readonly cpuMsPerRequest: number
}

/** The runs of both sides. Runs with the same index belong to the same round. */
export interface Rounds {
  readonly current: readonly Run[]
  readonly predecessor: readonly Run[]
}

/** The performance of the current commit as a share of its predecessor: 1 is equal, 0.5 is half as fast. */
export interface Shares {
  readonly throughput: number
  /** The CPU time per request of the predecessor, divided by that of the current commit. */
  readonly efficiency: number
}

/** A share below this limit is a loss of more than 30 %. */
const leastShare = 0.7

/** Returns the median shares of all rounds. */
export function sharesOf({ current, predecessor }: Rounds): Shares {
  const pairs = current.flatMap((run, round) => {
    const before = predecessor[round]
    return before === undefined ? [] : [{ run, before }]
  })
  return {
    throughput: median(pairs.map(({ run, before }) => run.requestsPerSecond / before.requestsPerSecond)),
    efficiency: median(pairs.map(({ run, before }) => before.cpuMsPerRequest / run.cpuMsPerRequest)),
  }
}

/**
 * Returns whether the shares show a loss. Both must be below the limit, because other work on the machine disturbs the
 * throughput, and the clock of the CPU time is coarse. An additional wait without CPU time shows in the throughput only: it
 * counts as a loss if the throughput falls below half.
 */
export const isLoss = ({ throughput, efficiency }: Shares): boolean =>
  (throughput < leastShare && efficiency < leastShare) || throughput < 0.5
