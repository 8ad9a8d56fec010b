/**
 * Returns a function that calls `run`, but never concurrently. All calls during a run share one more run, which starts when
 * the current run ends. Each call resolves at the end of a run that started after the call.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    next = null
    current = run().finally(() => {
      // If the next run is waiting, keep `current`: otherwise a call before that run starts would start a concurrent run.
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
