import type { World, WorldOptions } from './world.ts'

/** The figures of a drill by their description, such as `writes answered`. */
export type Counts = Readonly<Record<string, number>>

/**
 * A fault that is injected several times while clients work. After every round, each client must complete a write; at the
 * end, `checkInvariants` must find no violation.
 */
export interface Drill {
  /** The name on the command line. */
  readonly name: string
  /** A description of the fault in one line. */
  readonly title: string
  /** The number of rounds of `pnpm drill`. The tests run one round. */
  readonly rounds: number
  /**
   * Whether clients may lose connections to a host. Otherwise each request must get an answer: in a planned stop, a load
   * balancer must not notice that a host stops.
   */
  readonly losesConnections: boolean
  /** Requirements in addition to two hosts, a database and a store. */
  readonly world?: WorldOptions
  /** Injects the fault once, and resolves when it is over. Returns counts to add to those of earlier rounds. */
  fault(world: World): Promise<Counts>
}

/** Adds counts by their description. */
export function addCounts(...all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {}
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}
