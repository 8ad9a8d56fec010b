/** Resolves after `ms` milliseconds. Rejects with the signal's reason if the signal is aborted first. */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export const wait: Wait = async (ms, signal) => {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
  signal?.throwIfAborted()
}
