import { atom, type ReadableAtom } from 'nanostores'
import { isKitError, type KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'

/** The read-only interface of every store. */
export interface Store<State> {
  /** The state, whole and never changed in place: a nanostores atom, for which React, Vue, Svelte, Solid and Lit have adapters. */
  readonly $state: ReadableAtom<State>
  /** Ends the store's requests and empties it. The session's end does the same. */
  dispose(): void
}

/** A store as its author sees it: hand out `$state` and `dispose`, and keep the rest. */
export interface StoreCore<State> extends Store<State> {
  /** Aborted when the store ends, by `dispose` or with its session. For the store's requests. */
  readonly signal: AbortSignal
  /** Replaces the state. Does nothing once the store has ended, so an answer that arrives late is not shown. */
  set(state: State): void
  /** Like `set`, from the current state. */
  update(change: (state: State) => State): void
}

/**
 * Opens a store that ends with its session, or earlier by `dispose`. When it ends, `signal` is aborted and the state is
 * `initial` again, for good: nothing that one user has loaded stays for the next. Opened for a session that was closed
 * before, it has ended from the start.
 */
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
 * Awaits a request of a store. Resolves with the answer as `value`, with the refusal or the lost connection as `error`, or
 * with `null` when `signal` was aborted in the meantime: then there is nothing to show.
 *
 * @throws whatever else the request rejects with: a fault in the page's own code
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
