import { atom, type ReadableAtom } from 'nanostores'
import { perSession } from './per-session.ts'
import { type HubEvents, keepConnected, skippablePause } from './realtime-connection.ts'

/** `off` while nobody follows. `connecting` until the first connection, `reconnecting` after one was lost. */
export type RealtimeStatus = 'off' | 'connecting' | 'connected' | 'reconnecting'

/** Hears when the user's Work Center has changed. What has changed is asked for over HTTP. */
export interface Realtime {
  readonly $status: ReadableAtom<RealtimeStatus>
  /**
   * Calls the listener with each version heard, now and then with the last one again, and with null when changes may have
   * passed unheard: after the connection was lost, when the page is looked at again, and now and then while there is no
   * connection. Until the signal, or the session's, is aborted; there is a connection for as long as anybody listens.
   */
  listen(listener: (version: number | null) => void, signal: AbortSignal): void
}

/** How often to ask while nothing can be heard; while it can, to remind who could not ask when it was heard. */
const pollIntervalMs = 30_000

/** One connection a session, however many stores listen. */
export const realtimeStore = perSession((session): Realtime => {
  const $status = atom<RealtimeStatus>('off')
  const listeners = new Set<(version: number | null) => void>()
  let connection: AbortController | null = null
  let heard: number | null = null
  const tell = (version: number | null) => {
    for (const listener of [...listeners]) listener(version)
  }

  const open = () => {
    connection = new AbortController()
    const signal = AbortSignal.any([session.signal, connection.signal])
    const { pause, skip } = skippablePause()
    $status.set('connecting')
    onReturn(signal, () => {
      skip()
      tell(null)
    })
    const poll = setInterval(() => {
      if (isSeen()) tell($status.get() === 'connected' ? heard : null)
    }, pollIntervalMs)
    signal.addEventListener('abort', () => {
      clearInterval(poll)
      $status.set('off')
    })
    let wasRefused = false
    const connected = () => {
      const isFirst = $status.get() === 'connecting'
      $status.set('connected')
      // The hub tells a new connection its version; what it said to the one before is not certain.
      if (!isFirst) tell(null)
    }
    const lost: HubEvents['lost'] = (why) => {
      if ($status.get() === 'connected') $status.set('reconnecting')
      const isRefused = why === 'refused'
      // Then over HTTP it is said why, and once is enough.
      if (isRefused && !wasRefused) tell(null)
      wasRefused = isRefused
    }
    const changed = (version: number) => {
      heard = version
      tell(version)
    }
    void keepConnected({
      client: session.client,
      signal,
      pause,
      events: { connected, lost, changed },
    })
  }

  return {
    $status,
    listen(listener, signal) {
      if (session.signal.aborted || signal.aborted) return
      listeners.add(listener)
      if (listeners.size === 1) open()
      const leave = () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        connection?.abort()
        connection = null
      }
      signal.addEventListener('abort', leave, { once: true })
    },
  }
})

const isSeen = (): boolean => typeof document === 'undefined' || document.visibilityState === 'visible'

/** Calls back when the page is looked at again, or has its network again. */
function onReturn(signal: AbortSignal, callback: () => void): void {
  if (typeof document === 'undefined') return
  document.addEventListener('visibilitychange', () => isSeen() && callback(), { signal })
  addEventListener('online', callback, { signal })
}
