/** Runs at most `limit` pieces of work at a time, in order of arrival. Each waits at most `waitMs`. */
export interface Gate {
  /** Runs the work when a place is free. Rejects with the error of `onTimeout` if no place becomes free in time. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
}

/** Creates the bounded wait in front of the connection pool: the queue of postgres.js has no limit. */
export function createGate(options: { limit: number; waitMs: number; onTimeout: () => Error }): Gate {
  /** Admits each waiting piece of work, in order of arrival. */
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
    // The next work takes over this place. `running` stays unchanged, so later work cannot overtake it.
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
