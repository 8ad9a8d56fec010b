import { atom, type ReadableAtom } from 'nanostores'
import { onDemand } from '../client/on-demand.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { type ObjectListener, objectListeners } from './object-listeners.ts'
import { perSession } from './per-session.ts'
import type { HubEvents, KeepConnected } from './realtime-connection.ts'
import { skippablePause } from './skippable-pause.ts'
import { onOnline, outcome } from './store.ts'

/** `off`: no listeners. `connecting`: no connection has succeeded yet. `reconnecting`: the connection was lost. */
export type RealtimeStatus = 'off' | 'connecting' | 'connected' | 'reconnecting'

/** Notifies listeners when the user's Work Center has changed. The listeners then load the changes over HTTP. */
export interface Realtime {
  readonly $status: ReadableAtom<RealtimeStatus>
  /** The last version that the hub has sent, or null. Content that is loaded now needs no other load for this version. */
  readonly version: number | null
  /**
   * Calls the listener with each version that the hub sends, and repeats the last version every 30 s. Calls the listener
   * with null when it may have missed changes: after a reconnection, when the page is visible or online again, and every
   * 30 s without a connection. Stops when `signal` is aborted or the session ends. The connection is open while at least
   * one listener exists.
   */
  listen(listener: (version: number | null) => void, signal: AbortSignal): void
  /**
   * Calls the listener when the object may have changed: after each announced change, and when a subscription begins, so that
   * no change is missed in between. Stops when `signal` is aborted or the session ends. Keeps the connection open.
   */
  listenToObject(target: BusinessObjectReference, listener: ObjectListener, signal: AbortSignal): void
}

/** Interval of repeated notifications, which let listeners retry failed requests or work without the hub. */
const pollIntervalMs = 30_000

/** The part that keeps the connection. It contains the SignalR library. */
const connections = onDemand(() => import('./realtime-connection.ts'))
const loadAgainMs = 5_000

/** Loads the part that keeps the connection, as often as needed, and connects. */
async function connect(input: KeepConnected): Promise<void> {
  const loaded = await outcome(input.signal, connections.load())
  if (loaded === null) return
  if ('value' in loaded) return loaded.value.keepConnected(input)
  input.events.lost('other')
  await input.pause(loadAgainMs, input.signal)
  return connect(input)
}

/** Returns the session's connection to the hub. All stores of the session share this connection. */
export const realtimeStore = perSession((session): Realtime => {
  const $status = atom<RealtimeStatus>('off')
  const listeners = new Set<(version: number | null) => void>()
  const objects = objectListeners()
  let connection: AbortController | null = null
  let lastVersion: number | null = null
  const notify = (version: number | null) => {
    for (const listener of [...listeners]) listener(version)
  }

  const open = () => {
    connection = new AbortController()
    const signal = AbortSignal.any([session.signal, connection.signal])
    const { pause, skip } = skippablePause()
    $status.set('connecting')
    onReturn(signal, () => {
      skip()
      notify(null)
    })
    const poll = setInterval(() => {
      if (isVisible()) notify($status.get() === 'connected' ? lastVersion : null)
    }, pollIntervalMs)
    signal.addEventListener('abort', () => {
      clearInterval(poll)
      $status.set('off')
    })
    let wasRefused = false
    const connected: HubEvents['connected'] = (hub) => {
      objects.connected(hub)
      const isFirst = $status.get() === 'connecting'
      $status.set('connected')
      // The hub sends the current version to each new connection, but messages to the lost connection may be missing.
      if (!isFirst) notify(null)
    }
    const lost: HubEvents['lost'] = (why) => {
      objects.lost()
      if ($status.get() === 'connected') $status.set('reconnecting')
      const isRefused = why === 'refused'
      // Notify the listeners once: their HTTP requests return the reason for the refusal.
      if (isRefused && !wasRefused) notify(null)
      wasRefused = isRefused
    }
    const changed = (version: number) => {
      lastVersion = version
      notify(version)
    }
    void connect({
      client: session.client,
      signal,
      pause,
      events: { connected, lost, changed, objectChanged: (target) => objects.changed(target, 'reported') },
    })
  }

  const listen: Realtime['listen'] = (listener, signal) => {
    if (session.signal.aborted || signal.aborted) return
    listeners.add(listener)
    if (listeners.size === 1) open()
    const leave = () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      connection?.abort()
      connection = null
    }
    signal.addEventListener('abort', leave)
  }
  return {
    $status,
    get version() {
      return lastVersion
    },
    listen,
    listenToObject(target, listener, signal) {
      if (session.signal.aborted || signal.aborted) return
      signal.addEventListener('abort', objects.add(target, listener))
      // Without the hub, the object may have changed, too.
      listen((version) => version === null && listener(), signal)
    },
  }
})

const isVisible = (): boolean => globalThis.document?.visibilityState !== 'hidden'

/** Calls `callback` when the page becomes visible or the network is available again. */
function onReturn(signal: AbortSignal, callback: () => void): void {
  globalThis.document?.addEventListener('visibilitychange', () => isVisible() && callback(), { signal })
  onOnline(signal, callback)
}
