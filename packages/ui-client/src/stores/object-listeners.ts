import { targetName } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { HubEvents, HubMethods } from './realtime-connection.ts'

/** The objects that the stores of a session listen to, each subscribed once. */
export interface ObjectListeners extends Pick<HubEvents, 'connected'> {
  lost(): void
  changed(target: BusinessObjectReference, change?: ObjectChange): void
  /** Adds a listener, and returns the function that removes it. */
  add(target: BusinessObjectReference, listener: ObjectListener): () => void
}

/** The hub has reported a change. Without this value, the object may have changed while the hub could not report it. */
export type ObjectChange = 'reported'
export type ObjectListener = (change?: ObjectChange) => void

interface Listened {
  readonly target: BusinessObjectReference
  readonly listeners: Set<ObjectListener>
}

/** The service can be unavailable for a moment, and the connection stay open. */
const retryMs = 30_000

/** Creates the listeners. A failed subscription is tried again, and a refused one on the next connection. */
export function objectListeners(): ObjectListeners {
  const objects = new Map<string, Listened>()
  let hub: HubMethods | null = null

  const changed: ObjectListeners['changed'] = (target, change) => {
    for (const listener of [...(objects.get(targetName(target))?.listeners ?? [])]) listener(change)
  }
  const subscribe = async (on: HubMethods, target: BusinessObjectReference): Promise<void> => {
    const isSubscribed = await on.subscribe(target).catch(() => null)
    // The connection or the last listener may end before the answer.
    if (hub !== on || !objects.has(targetName(target))) return
    if (isSubscribed) changed(target)
    else if (isSubscribed === null) setTimeout(subscribe, retryMs, on, target)
  }
  return {
    changed,
    connected(next) {
      hub = next
      for (const { target } of objects.values()) void subscribe(next, target)
    },
    lost() {
      hub = null
    },
    add(target, listener) {
      const key = targetName(target)
      const listened = objects.get(key) ?? { target, listeners: new Set() }
      listened.listeners.add(listener)
      if (!objects.has(key) && hub !== null) void subscribe(hub, target)
      objects.set(key, listened)
      return () => {
        listened.listeners.delete(listener)
        if (listened.listeners.size > 0 || objects.get(key) !== listened) return
        objects.delete(key)
        hub?.unsubscribe(target).catch(() => {})
      }
    },
  }
}
