/** Admits at most `limit` pieces of work at a time, in order of arrival, each waiting no longer than `waitMs`. */
export interface Gate {
  /** Runs the work when there is room. Rejects with what `onTimeout` makes when none came free in time. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly runningCount: number
  readonly waitingCount: number
}

interface Waiter {
  admit(): void
}

/** The bounded wait in front of the connection pool: postgres.js itself queues without a limit. */
export function createGate(options: { limit: number; waitMs: number; onTimeout: () => Error }): Gate {
  const waiting = new Set<Waiter>()
  let running = 0

  const enter = (): Promise<void> | undefined => {
    if (running < options.limit) {
      running += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.delete(waiter)
        reject(options.onTimeout())
      }, options.waitMs)
      waiting.add(waiter)
    })
  }

  const leave = () => {
    const next = waiting.values().next().value
    if (next === undefined) {
      running -= 1
      return
    }
    // The place passes on, so `running` stays: nobody who comes later can slip in between.
    waiting.delete(next)
    next.admit()
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
