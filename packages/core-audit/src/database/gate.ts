/** Admits at most `limit` pieces of work at a time, in order of arrival, each waiting no longer than `waitMs`. */
export interface Gate {
  /** Runs the work when there is room. Rejects with what `onTimeout` makes when none came free in time. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
}

/** The bounded wait in front of the connection pool: postgres.js itself queues without a limit. */
export function createGate(options: { limit: number; waitMs: number; onTimeout: () => Error }): Gate {
  /** How each piece of work that waits is admitted, in order of arrival. */
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
    // The place passes on, so `running` stays: nobody who comes later can slip in between.
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
