/** A view that was out of sight for less than this time is not loaded again. */
const minAwayMs = 30_000

/** Calls `load` when the user returns to the page after a while, and when the network returns, until the signal is aborted. */
export function onReturn(signal: AbortSignal, load: () => void): void {
  let leftAtMs = Number.POSITIVE_INFINITY
  const look = () => {
    if (document.hidden) leftAtMs = performance.now()
    else if (performance.now() - leftAtMs >= minAwayMs) load()
    if (!document.hidden) leftAtMs = Number.POSITIVE_INFINITY
  }
  document.addEventListener('visibilitychange', look, { signal })
  addEventListener('online', load, { signal })
}
