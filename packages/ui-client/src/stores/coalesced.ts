/**
 * Runs one at a time: what is asked for meanwhile is one more run, after it. Resolves when a run that began after the asking
 * has ended.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    next = null
    current = run().finally(() => {
      // With one waiting it is still under way, or whoever asks in between would start a second.
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
