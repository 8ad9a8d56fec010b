import { coalesced, realtimeStore, type Session } from '@vertical-kit/ui-client/stores'

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
  /** Whether changes of other users can be shown now, or only later. Absent if the view shows them in another way. */
  readonly mayRefresh?: () => boolean
  /** Loads the view. The answer is no longer wanted after the signal was aborted. */
  readonly load: (signal: AbortSignal) => Promise<void> | undefined
}

/**
 * Loads a view again when the session changes documents that concern it, when the user returns to the page after a while, and when
 * the network returns, until the signal is aborted. While the page is visible, also when the Work Center reports a change, and
 * once a minute.
 *
 * Returns a function that loads the view. The loads of a view never overlap, so that every answer can be shown. When the network
 * returns, the current load is aborted: its connection may be dead, and the next load must not wait for it.
 */
export function keepCurrent(
  session: Session,
  signal: AbortSignal,
  { concerns, mayRefresh, load }: Currency,
): () => Promise<void> {
  /** Whether others have reported a change since the last load has started. */
  let isOutdated = false
  let isLoading = false
  let tookMs = 0
  let current = new AbortController()
  let timer: number | undefined
  const loadOnce = coalesced(async () => {
    if (signal.aborted) return
    clearTimeout(timer)
    isOutdated = false
    isLoading = true
    current = new AbortController()
    const wanted = AbortSignal.any([signal, current.signal])
    const startedAtMs = performance.now()
    try {
      await Promise.race([load(wanted), aborted(current.signal)])
    } finally {
      tookMs = performance.now() - startedAtMs
      isLoading = false
      if (isOutdated) refreshSoon()
    }
  })
  let isDue = false
  /** Changes at the same time, for example of a batch, cause one load. */
  const loadSoon = () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      void loadOnce()
    })
  }
  /** Slow loads have longer pauses, and the pages of many users do not load at the same time. */
  const refreshSoon = () => {
    clearTimeout(timer)
    timer = window.setTimeout(refresh, Math.max(collectMs, tookMs) * (1 + Math.random() / 2))
  }
  const refresh = () => {
    if (signal.aborted || document.hidden) return
    if (mayRefresh?.() === true) void loadOnce()
    else refreshSoon()
  }
  const changed = () => {
    if (!isOutdated && !isLoading) refreshSoon()
    isOutdated = true
  }
  session.listen((change) => {
    if (change.kind === 'document' && concerns(change.typeCode)) loadSoon()
  }, signal)
  onReturn(signal, (awayMs) => {
    if (awayMs >= minAwayMs) void loadOnce()
    else if (isOutdated && !isLoading) refreshSoon()
  })
  const returned = () => {
    current.abort()
    loadSoon()
  }
  addEventListener('online', returned, { signal })
  if (mayRefresh !== undefined) followOthers(session, signal, changed)
  return loadOnce
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Calls `returned` when the page is visible again, with the time for which it was out of sight. */
function onReturn(signal: AbortSignal, returned: (awayMs: number) => void): void {
  let leftAtMs = Number.POSITIVE_INFINITY
  const look = () => {
    if (!document.hidden) returned(performance.now() - leftAtMs)
    leftAtMs = document.hidden ? performance.now() : Number.POSITIVE_INFINITY
  }
  document.addEventListener('visibilitychange', look, { signal })
}

/**
 * Calls `changed` after the Work Center has reported a change, and once a minute. The view loads after this call, so a report that is
 * repeated is no change.
 */
function followOthers(session: Session, signal: AbortSignal, changed: () => void): void {
  const realtime = realtimeStore(session)
  let known = realtime.version
  realtime.listen((version) => {
    if (version === null || version === known) return
    known = version
    changed()
  }, signal)
  const refreshing = setInterval(changed, refreshMs)
  signal.addEventListener('abort', () => clearInterval(refreshing))
}
