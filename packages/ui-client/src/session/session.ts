import type { Client } from '../client/client.ts'
import { wait as realWait, type Wait } from '../client/wait.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { NavigationTarget } from '../wire/documents.ts'
import { type Drafts, openDrafts } from './drafts.ts'

/**
 * The session of one user on a page. Every store belongs to a session. Closing the session aborts the requests of its
 * stores and empties the stores permanently. Late responses are ignored. Therefore no user sees data of the previous user.
 */
export interface Session {
  readonly client: Client
  readonly userId: string
  /** Returns the address of a place on this page, or null for a place without an address. */
  readonly hrefOf: (target: NavigationTarget) => string | null
  /** The user's unsent input. */
  readonly drafts: Drafts
  /** The signal that is aborted when the session is closed. */
  readonly signal: AbortSignal
  /** The clock of the stores. */
  readonly wait: Wait
  /** Notifies all stores of the session that data has changed. */
  announce(change: Change): void
  /** Calls the listener for each announced change, until `signal` is aborted or the session ends. */
  listen(listener: (change: Change) => void, signal: AbortSignal): void
  /** Ends the session but keeps its drafts. Call it when another user signs in, or when the token cannot be renewed. */
  close(): void
  /** Ends the session and deletes its drafts. Call it when the user signs out of this browser. */
  signOut(): Promise<void>
}

/** A change that a store announces to the other stores of its session. */
export type Change =
  | { readonly kind: 'content'; readonly target: BusinessObjectReference }
  /** Another user or page has changed the object or its content. `liveObjectStore` announces it. */
  | { readonly kind: 'object'; readonly target: BusinessObjectReference }
  | { readonly kind: 'document'; readonly typeCode: string; readonly id: string }
  | { readonly kind: 'workCenter' }

/** One user of one service. Open another session after another user has signed in. */
export interface SessionOptions {
  readonly client: Client
  /** The subject of the user's token. The names of the drafts contain this id. */
  readonly userId: string
  /** Waits before messages disappear and deletions are sent. Tests can replace this function. Default: a timer. */
  readonly wait?: Wait
  /**
   * Returns the address of a place, or null for an unknown place. Elements then show links to places; without this option, they
   * show buttons. A target is data of the service: look its code up, and never build a scheme or a host from it.
   */
  readonly hrefOf?: (target: NavigationTarget) => string | null
}

/** Opens a session, and deletes the drafts of other users from this browser. */
export function openSession({
  client,
  userId,
  hrefOf = () => null,
  wait = realWait,
}: SessionOptions): Session {
  const ending = new AbortController()
  const drafts = openDrafts(userId)
  const listeners = new Set<(change: Change) => void>()
  const close = () => {
    listeners.clear()
    ending.abort()
  }
  return {
    client,
    userId,
    hrefOf,
    drafts,
    signal: ending.signal,
    wait,
    announce(change) {
      for (const listener of [...listeners]) listener(change)
    },
    listen(listener, signal) {
      if (ending.signal.aborted || signal.aborted) return
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
    close,
    async signOut() {
      close()
      await drafts.clear()
    },
  }
}

/** Returns the name that identifies an object, for example in the names of drafts. */
export const targetName = ({ kind, typeCode, id }: BusinessObjectReference): string =>
  `${kind}/${typeCode}/${id}`

/** Returns whether both references identify the same object. */
export const isSameTarget = (one: BusinessObjectReference, other: BusinessObjectReference): boolean =>
  targetName(one) === targetName(other)
