import type { KitError } from '../client/kit-error.ts'
import type { MeAccess } from '../wire/security.ts'
import { perSession, shared } from './per-session.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The user's permissions. Until they are loaded, the store denies every permission. */
export type AccessState =
  | { readonly status: 'idle' | 'loading'; readonly access: null }
  | { readonly status: 'ready'; readonly access: MeAccess }
  | { readonly status: 'failed'; readonly access: null; readonly error: KitError }

/** All readers of a session share this store. It ends with the session, and a reader cannot dispose it. */
export interface AccessStore extends Pick<Store<AccessState>, '$state'> {
  /** Loads the permissions unless they were loaded within the last 30 s. Concurrent calls share one request. */
  load(): Promise<void>
  /** Returns whether the user has a permission. Use the result only to hide controls: the service checks each request. */
  may(permission: string): boolean
}

const keptMs = 30_000

/** Returns the store of the user's permissions. Each session has one such store. */
export const accessStore = perSession((session): AccessStore => {
  const { $state, signal, set } = openStore<AccessState>(session, { status: 'idle', access: null })
  const ask = async (): Promise<boolean> => {
    if ($state.get().status !== 'ready') set({ status: 'loading', access: null })
    const result = await outcome(signal, session.client.me.access({ signal }))
    if (result === null) return false
    if ('error' in result) set({ status: 'failed', access: null, error: result.error })
    else set({ status: 'ready', access: result.value })
    return 'value' in result
  }
  return {
    $state,
    load: shared(ask, { signal, keptMs }),
    may: (permission) => $state.get().access?.permissions.includes(permission) ?? false,
  }
})
