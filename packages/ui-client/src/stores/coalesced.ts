/**
 * Returns a function that never runs `run` concurrently. All calls during a run share one further run after it. Each call
 * resolves when a run that started after the call has ended.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    next = null
    current = run().finally(() => {
      // If another run is waiting, keep `current` set: a call in between must not start a second run.
      if (next === null) current = null
    })
    return current
  }
  return () => {
    if (current === null) return start()
    next ??= current.then(start, start)
    return next
  }
}
