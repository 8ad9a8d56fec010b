/** How long events have taken of late, so that no transaction is begun with more of them than its lease is good for. */
export interface Pace {
  /** How many events one transaction may take on, 1 at least. */
  readonly eventLimit: number
  /** Tells how long a transaction took, whether it committed or not. */
  record(eventCount: number, durationMs: number): void
}

/** The share of a lease that a batch may take: should it come to nothing, there is time for its events one by one. */
const share = 1 / 4

/** The pace of one consumer. The first batch is as large as its claim: nothing is known yet. */
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
