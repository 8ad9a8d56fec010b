import type { KitError } from '../client/kit-error.ts'
import type { MeAccess } from '../wire/security.ts'
import { perSession, shared } from './per-session.ts'
import { openStore, outcome, type Store } from './store.ts'

/** What the user may do. While that is not known, nothing. */
export type AccessState =
  | { readonly status: 'idle' | 'loading'; readonly access: null }
  | { readonly status: 'ready'; readonly access: MeAccess }
  | { readonly status: 'failed'; readonly access: null; readonly error: KitError }

/** All readers of a session share it: it ends with the session, and no reader can end it for the others. */
export interface AccessStore extends Pick<Store<AccessState>, '$state'> {
  /** Asks the service, unless it has answered within the last 30 s; calls at the same time ask once. */
  load(): Promise<void>
  /** Whether the user holds a permission: for what to show. The service decides again on each request. */
  may(permission: string): boolean
}

const keptMs = 30_000

/** The user's permissions, one store a session. */
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
    load: shared(ask, keptMs),
    may: (permission) => $state.get().access?.permissions.includes(permission) ?? false,
  }
})
