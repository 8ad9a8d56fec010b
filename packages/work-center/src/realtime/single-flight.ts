/** Runs a function on request, but never twice at the same time. */
export interface SingleFlight {
  /** Requests a run. It starts now, or after the run in progress. */
  request(): void
  /** Resolves when no run is in progress or requested. */
  idle(): Promise<void>
}

/**
 * Creates a single flight. One further run serves all requests that arrive during a run, so a burst of any size causes
 * only two runs. `run` must process all work that is pending when it starts, and must not reject.
 */
export function createSingleFlight(run: () => Promise<void>): SingleFlight {
  let isRequested = false
  let flight: Promise<void> | undefined

  const fly = async (): Promise<void> => {
    while (isRequested) {
      isRequested = false
      await run()
    }
    flight = undefined
  }

  return {
    request() {
      isRequested = true
      flight ??= fly()
    },
    async idle() {
      await flight
    },
  }
}
