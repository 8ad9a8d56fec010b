/** Measures how long consumers take for events, so that no transaction starts with more events than fit into its lease. */
export interface Pace {
  /** Maximum number of events for one transaction, at least 1. */
  readonly eventLimit: number
  /** Records the duration of a transaction, committed or not. */
  record(eventCount: number, durationMs: number): void
}

/** The share of a lease that a batch can use. If the batch fails, time remains to handle its events one by one. */
const share = 1 / 4

/** Creates the pace of one consumer. The first batch is as large as its claim, because no duration is known yet. */
export function createPace(leaseMs: number): Pace {
  let eventMs = 0
  return {
    get eventLimit() {
      return Math.max(1, Math.floor((leaseMs * share) / eventMs))
    },
    record(eventCount, durationMs) {
      eventMs = durationMs / eventCount
    },
  }
}
