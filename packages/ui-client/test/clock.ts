/** A clock for tests: its time passes only by `pass`. */
export interface Clock {
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Resolves with the duration of the next wait that begins. */
  nextWait(): Promise<number>
  /** Returns how many waits have begun and not ended. */
  waitingCount(): number
  /** Lets time pass, and the code that waited for it run. */
  pass(ms: number): Promise<void>
}

export function createClock(): Clock {
  let nowMs = 0
  let next = Promise.withResolvers<number>()
  const timers = new Set<{ readonly atMs: number; readonly ring: () => void }>()
  return {
    wait(ms, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = { atMs: nowMs + ms, ring: resolve }
      timers.add(timer)
      next.resolve(ms)
      next = Promise.withResolvers()
      signal?.addEventListener('abort', () => {
        timers.delete(timer)
        reject(signal.reason)
      })
      return promise
    },
    nextWait: () => next.promise,
    waitingCount: () => timers.size,
    async pass(ms) {
      nowMs += ms
      for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
        timers.delete(timer)
        timer.ring()
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
