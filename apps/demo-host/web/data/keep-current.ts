import type { Session } from '@vertical-kit/ui-client/stores'

/** A view that was out of sight for less than this time is not loaded again. */
const minAwayMs = 30_000

/**
 * Calls `load` when the session changes documents that concern a view, when the user returns to the page after a while, and when
 * the network returns, until the signal is aborted. Changes at the same time cause one call.
 */
export function keepCurrent(
  session: Session,
  signal: AbortSignal,
  { concerns, load }: { readonly concerns: (typeCode: string) => boolean; readonly load: () => void },
): void {
  let isDue = false
  const loadSoon = () => {
    if (!isDue) queueMicrotask(run)
    isDue = true
  }
  const run = () => {
    isDue = false
    if (!signal.aborted) load()
  }
  let leftAtMs = Number.POSITIVE_INFINITY
  const look = () => {
    if (!document.hidden && performance.now() - leftAtMs >= minAwayMs) loadSoon()
    leftAtMs = document.hidden ? performance.now() : Number.POSITIVE_INFINITY
  }
  session.listen((change) => {
    if (change.kind === 'document' && concerns(change.typeCode)) loadSoon()
  }, signal)
  document.addEventListener('visibilitychange', look, { signal })
  addEventListener('online', loadSoon, { signal })
}
