import type { Client } from '../client/client.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { type Drafts, openDrafts } from './drafts.ts'

/**
 * One user at one page. Every store belongs to a session: when it is closed their requests end, they are empty from then on,
 * and nothing that still arrives is shown. So no user ever sees what was loaded for the one before.
 */
export interface Session {
  readonly client: Client
  readonly userId: string
  /** What this user has begun and not sent. */
  readonly drafts: Drafts
  /** Aborted when the session is closed. */
  readonly signal: AbortSignal
  /** Tells stores that something has changed which they may show. */
  announce(change: Change): void
  /** Hears of changes until the signal, or the session's, is aborted. */
  listen(listener: (change: Change) => void, signal: AbortSignal): void
  /** Ends it: another user signs in, the token cannot be renewed. What was begun is there when the user comes back. */
  close(): void
  /** Ends it and forgets what was begun: the user signs out of this browser. */
  signOut(): Promise<void>
}

/** What a store has changed, for the others of its session. */
export type Change =
  | { readonly kind: 'content'; readonly target: BusinessObjectReference }
  | { readonly kind: 'document'; readonly typeCode: string; readonly id: string }
  | { readonly kind: 'workCenter' }

export interface SessionOptions {
  readonly client: Client
  /** Whose session it is: the token's subject. What was begun is kept under it. */
  readonly userId: string
}

/** Opens a session, and throws away what other users have left unsent in this browser. */
export function openSession({ client, userId }: SessionOptions): Session {
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
    drafts,
    signal: ending.signal,
    announce(change) {
      for (const listener of [...listeners]) listener(change)
    },
    listen(listener, signal) {
      if (ending.signal.aborted || signal.aborted) return
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    close,
    async signOut() {
      close()
      await drafts.clear()
    },
  }
}

/** Whether both name the same object. */
export const isSameTarget = (one: BusinessObjectReference, other: BusinessObjectReference): boolean =>
  one.kind === other.kind && one.typeCode === other.typeCode && one.id === other.id
