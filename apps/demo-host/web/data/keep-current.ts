import { realtimeStore, type Session } from '@vertical-kit/ui-client/stores'

/** A view that was out of sight for less than this time is not loaded again. */
const minAwayMs = 30_000

/** Changes of other users within this time cause one load. */
const collectMs = 2_000

/** The Work Center does not report every change, and a day can end. */
const refreshMs = 60_000

/** When a view is loaded again. */
interface Currency {
  /** Whether changes of the session's user to documents of a type change the view. */
  readonly concerns: (typeCode: string) => boolean
  /** Whether changes of other users can be loaded now. Absent if the view shows them in another way. */
  readonly mayRefresh?: () => boolean
  readonly load: () => void
}

/**
 * Calls `load` when the session changes documents that concern a view, when the user returns to the page after a while, and when
 * the network returns, until the signal is aborted. While the page is visible, also when the Work Center reports a change, and
 * once a minute. Changes at the same time cause one call.
 */
export function keepCurrent(
  session: Session,
  signal: AbortSignal,
  { concerns, mayRefresh, load }: Currency,
): void {
  let isDue = false
  let isOutdated = false
  const loadSoon = () => {
    if (!isDue) queueMicrotask(run)
    isDue = true
  }
  const run = () => {
    isDue = false
    isOutdated = false
    if (!signal.aborted) load()
  }
  let leftAtMs = Number.POSITIVE_INFINITY
  const look = () => {
    if (!document.hidden && (isOutdated || performance.now() - leftAtMs >= minAwayMs)) loadSoon()
    leftAtMs = document.hidden ? performance.now() : Number.POSITIVE_INFINITY
  }
  session.listen((change) => {
    if (change.kind === 'document' && concerns(change.typeCode)) loadSoon()
  }, signal)
  document.addEventListener('visibilitychange', look, { signal })
  addEventListener('online', loadSoon, { signal })
  if (mayRefresh === undefined) return
  followOthers(session, signal, () => {
    if (document.hidden) isOutdated = true
    else if (mayRefresh()) loadSoon()
  })
}

/** Calls `changed` after the Work Center has reported a change, and once a minute. */
function followOthers(session: Session, signal: AbortSignal, changed: () => void): void {
  const realtime = realtimeStore(session)
  // A new connection begins with the current version, which is no change.
  let newest = realtime.$status.get() === 'connected' ? 0 : null
  let collecting: number | undefined
  const collected = () => {
    collecting = undefined
    changed()
  }
  realtime.listen((version) => {
    if (version === null) return
    if (newest !== null && version > newest) collecting ??= window.setTimeout(collected, collectMs)
    newest = Math.max(newest ?? 0, version)
  }, signal)
  const refreshing = setInterval(changed, refreshMs)
  signal.addEventListener('abort', () => {
    clearInterval(refreshing)
    clearTimeout(collecting)
  })
}
