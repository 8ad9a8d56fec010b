import type { MeAccess } from '../wire/security.ts'
import { type KeptState, type KeptStore, keptStore } from './kept-store.ts'
import { perSession } from './per-session.ts'

/** The user's permissions. Until they are loaded, the store denies every permission. A later load that fails keeps them. */
export type AccessState = KeptState<{ readonly access: MeAccess }, { readonly access: null }>

/** All readers of a session share this store. It ends with the session, and a reader cannot dispose it. */
export interface AccessStore extends KeptStore<{ readonly access: MeAccess }, { readonly access: null }> {
  /** Returns whether the user has a permission. Use the result only to hide controls: the service checks each request. */
  may(permission: string): boolean
}

/** Returns the store of the user's permissions. Each session has one such store. */
export const accessStore = perSession((session): AccessStore => {
  const store = keptStore(session, { access: null }, async (signal) => ({
    access: await session.client.me.access({ signal }),
  }))
  return {
    ...store,
    may: (permission) => store.$state.get().access?.permissions.includes(permission) ?? false,
  }
})
