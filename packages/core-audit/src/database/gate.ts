/** Limits how many pieces of work run at the same time. Further work waits in order of arrival, for at most `waitMs`. */
export interface Gate {
  /** Runs the work once a place is free. Rejects with the error of `onTimeout` if no place becomes free in time. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
}

/** Creates a gate. The connection pool needs a gate, because the queue of postgres.js has no limit. */
export function createGate(options: { limit: number; waitMs: number; onTimeout: () => Error }): Gate {
  /** The functions that admit the waiting pieces of work, in order of arrival. */
  const waiting = new Set<() => void>()
  let running = 0

  const enter = (): Promise<void> | undefined => {
    if (running < options.limit) {
      running += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(admit)
        reject(options.onTimeout())
      }, options.waitMs)
      waiting.add(admit)
    })
  }

  const leave = () => {
    const [admit] = waiting
    if (admit === undefined) {
      running -= 1
      return
    }
    // Pass this place to the next waiting work. `running` stays unchanged, so work that arrives later cannot use the place.
    waiting.delete(admit)
    admit()
  }

  return {
    async run(work) {
      const turn = enter()
      if (turn !== undefined) await turn
      try {
        return await work()
      } finally {
        leave()
      }
    },
    get runningCount() {
      return running
    },
    get waitingCount() {
      return waiting.size
    },
  }
}
