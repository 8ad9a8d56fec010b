import { atom, type ReadableAtom } from 'nanostores'
import { isKitError, type KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'

/** The read-only interface of every store. */
export interface Store<State> {
  /** The state: a nanostores atom, with adapters for React, Vue, Svelte, Solid and Lit. The value is immutable. */
  readonly $state: ReadableAtom<State>
  /** Aborts the store's requests and empties the store. The end of the session has the same effect. */
  dispose(): void
}

/** The interface for the author of a store. Return only `$state` and `dispose` to readers. */
export interface StoreCore<State> extends Store<State> {
  /** The signal for the store's requests. It is aborted by `dispose` and at the end of the session. */
  readonly signal: AbortSignal
  /** Replaces the state. Does nothing after the store has ended, so late responses are not shown. */
  set(state: State): void
  /** Replaces the state with a value computed from the current state. */
  update(change: (state: State) => State): void
}

/**
 * Opens a store that ends when `dispose` is called, or with its session. Then `signal` is aborted, and the state becomes
 * `initial` permanently, so the next user never sees data of the previous user. If the session is already closed, the
 * store has ended from the start.
 */
export function openStore<State>(session: Session, initial: State): StoreCore<State> {
  const ending = new AbortController()
  const signal = AbortSignal.any([session.signal, ending.signal])
  return { ...openState(signal, initial), signal, dispose: () => ending.abort() }
}

/** Opens one state of a store with several states. It becomes `initial` permanently when the signal is aborted. */
export function openState<State>(
  signal: AbortSignal,
  initial: State,
): Pick<StoreCore<State>, '$state' | 'set' | 'update'> {
  const $state = atom<State>(initial)
  signal.addEventListener('abort', () => $state.set(initial))
  const set = (state: State) => {
    if (!signal.aborted) $state.set(state)
  }
  return { $state, set, update: (change) => set(change($state.get())) }
}

/**
 * Waits for a request of a store. Resolves with the response as `value`, or with a `KitError` as `error`. Resolves with
 * null if `signal` was aborted before the response arrived, because the store must then show nothing.
 *
 * @throws any other error of the request, because it is a fault in the page's own code
 */
export async function outcome<T>(
  signal: AbortSignal,
  request: Promise<T>,
): Promise<{ readonly value: T } | { readonly error: KitError } | null> {
  try {
    const value = await request
    return signal.aborted ? null : { value }
  } catch (error) {
    if (signal.aborted) return null
    if (isKitError(error)) return { error }
    throw error
  }
}

/** Calls `callback` when the network is available again, until `signal` is aborted. Does nothing outside a browser. */
export function onOnline(signal: AbortSignal, callback: () => unknown): void {
  globalThis.addEventListener?.('online', callback, { signal })
}
