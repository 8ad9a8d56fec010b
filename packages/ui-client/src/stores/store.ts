import { atom, type ReadableAtom } from 'nanostores'
import { isKitError, type KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'

/** What every store is to its readers. */
export interface Store<State> {
  /** The state, whole and never changed in place: a nanostores atom, for which React, Vue, Svelte, Solid and Lit have adapters. */
  readonly $state: ReadableAtom<State>
  /** Ends the store's requests and empties it. The session's end does the same. */
  dispose(): void
}

/** The inside of a store. */
export interface StoreCore<State> extends Store<State> {
  /** Ends with the store. */
  readonly signal: AbortSignal
  /** Does nothing once the store has ended: what arrives late is not shown. */
  set(state: State): void
  update(change: (state: State) => State): void
}

/** Makes the inside of a store, which ends with its session. */
export function openStore<State>(session: Session, initial: State): StoreCore<State> {
  const ending = new AbortController()
  const signal = AbortSignal.any([session.signal, ending.signal])
  const $state = atom<State>(initial)
  signal.addEventListener('abort', () => $state.set(initial), { once: true })
  const set = (state: State) => {
    if (!signal.aborted) $state.set(state)
  }
  return {
    $state,
    signal,
    set,
    update: (change) => set(change($state.get())),
    dispose: () => ending.abort(),
  }
}

/**
 * Runs a request of a store. Resolves with what it came to, or with the error to show; with `null` when the store has ended
 * meanwhile, so that there is nobody to show it to. Faults of our own rise.
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
