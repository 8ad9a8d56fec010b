import { createAdmission } from './admission.ts'

/** Limits how many pieces of work run at the same time. Further work waits in order of arrival, for at most `waitMs`. */
export interface Gate {
  /** Runs the work once a place is free. Rejects with the error of `onTimeout` if no place becomes free in time. */
  run<T>(work: () => Promise<T>): Promise<T>
  /**
   * Calls `start` once a place is free and no work waits for it in `run`. `start` takes the place by calling `run` before it
   * returns. Rejects like `run`.
   */
  startLast<T>(start: () => Promise<T>): Promise<T>
  readonly runningCount: number
  /** The number of pieces of work that wait in `run`. */
  readonly waitingCount: number
  /** The number of pieces of work that wait in `startLast`. */
  readonly waitingLastCount: number
}

/** Creates a gate. */
export function createGate(options: { limit: number; waitMs: number; onTimeout: () => Error }): Gate {
  const admission = createAdmission<true>(options)
  const last = createAdmission<{ readonly started: Promise<unknown> }>(options)
  let running = 0
  const take = (): true | undefined => {
    if (running === options.limit) return undefined
    running += 1
    return true
  }

  return {
    async run(work) {
      const place = admission.enter(take)
      if (place !== true) await place
      try {
        return await work()
      } finally {
        running -= 1
        admission.proceed()
        last.proceed()
      }
    },
    async startLast<T>(start: () => Promise<T>) {
      const take = () => (running === options.limit ? undefined : { started: start() })
      const { started } = await last.enter(take)
      return started as Promise<T>
    },
    get runningCount() {
      return running
    },
    get waitingCount() {
      return admission.waitingCount
    },
    get waitingLastCount() {
      return last.waitingCount
    },
  }
}
