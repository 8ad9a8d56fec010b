import type { VersionChanges } from '../inbox/version-changes.ts'

/** What a hub is told by the backplane. */
export interface BackplaneListener {
  /** The versions of these users are at least these now. May repeat itself, and come out of order. */
  changed(changes: VersionChanges): void
  /** Changes may have passed unheard: ask for the versions of everybody. */
  missed(): void
}

/**
 * Carries versions between the replicas of a host. It may lose some: hubs ask for versions now and then, and after
 * `missed`. Another carrier than PostgreSQL stands behind the same two functions.
 */
export interface Backplane {
  /** Announces what has been committed, on all replicas, this one included. Does not throw; nobody waits for it. */
  publish(changes: VersionChanges): void
  /** Returns what ends the subscription. */
  subscribe(listener: BackplaneListener): () => void
}
