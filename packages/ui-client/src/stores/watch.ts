import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { openStore, outcome, type Store } from './store.ts'

/** Whether the user follows the object. While a change is saved, the state already shows it. */
export type WatchingState =
  | { readonly status: 'idle' | 'loading' }
  | { readonly status: 'ready' | 'saving'; readonly isWatching: boolean; readonly error: KitError | null }
  | { readonly status: 'failed'; readonly error: KitError }

/** Follows one object for the user. An unsaved change is shown at once. */
export interface WatchStore extends Store<WatchingState> {
  load(): Promise<void>
  /**
   * Follows the object, or no longer. Calls while a change is saved apply after it, and resolve at once. After a failure, the state
   * is the saved one, with the error.
   */
  toggle(): Promise<void>
}

/** Opens the store that shows and changes whether the user follows an object. */
export function watchStore(session: Session, target: BusinessObjectReference): WatchStore {
  const store = openStore<WatchingState>(session, { status: 'idle' })
  const { businessObjects } = session.client
  const { signal } = session
  let wanted = false
  return {
    $state: store.$state,
    dispose: store.dispose,
    async load() {
      store.set({ status: 'loading' })
      const result = await outcome(store.signal, businessObjects.isWatching(target, { signal: store.signal }))
      if (result === null) return
      if ('error' in result) store.set({ status: 'failed', error: result.error })
      else store.set({ status: 'ready', isWatching: result.value.isWatching, error: null })
    },
    async toggle() {
      const before = store.$state.get()
      if (!('isWatching' in before)) return
      let saved = before.isWatching
      wanted = !saved
      store.set({ status: 'saving', isWatching: wanted, error: null })
      // The call that is saving continues with this value.
      if (before.status === 'saving') return
      let error: KitError | null = null
      while (saved !== wanted && error === null) {
        const isWatching = wanted
        const change = businessObjects[isWatching ? 'watch' : 'unwatch']
        const result = await outcome(signal, change(target, { signal }))
        if (result === null) return
        if ('error' in result) error = result.error
        else saved = isWatching
      }
      store.set({ status: 'ready', isWatching: saved, error })
    },
  }
}
