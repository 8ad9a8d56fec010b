/** Work of which one run is under way at a time. */
export interface SingleFlight {
  /** Asks for a run that begins after now: at once, or when the one under way has ended. */
  request(): void
  /** Resolves when nothing is under way or asked for. */
  idle(): Promise<void>
}

/**
 * What is asked for during a run is done together by the next one, so a burst costs two runs, however long it is.
 * `run` takes whatever there is to do by then; it does not reject.
 */
export function createSingleFlight(run: () => Promise<void>): SingleFlight {
  let isAskedFor = false
  let flight: Promise<void> | undefined

  const fly = async (): Promise<void> => {
    while (isAskedFor) {
      isAskedFor = false
      await run()
    }
    flight = undefined
  }

  return {
    request() {
      isAskedFor = true
      flight ??= fly()
    },
    async idle() {
      await flight
    },
  }
}
