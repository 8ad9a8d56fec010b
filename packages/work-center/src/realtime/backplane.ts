import type { VersionChanges } from '../inbox/version-changes.ts'

/** The callbacks through which the backplane notifies a hub. */
export interface BackplaneListener {
  /** The versions of these users are now at least these. Calls can repeat and arrive out of order. */
  changed(changes: VersionChanges): void
  /** Changes may have been lost: read the versions of all users again. */
  missed(): void
}

/**
 * Carries versions between the replicas of a host. It may lose some: hubs read versions periodically and after `missed`.
 * An implementation without PostgreSQL provides these two functions as well.
 */
export interface Backplane {
  /** Announces committed versions on all replicas, including this one. Returns immediately and does not throw. */
  publish(changes: VersionChanges): void
  /** Subscribes a listener, and returns a function that ends the subscription. */
  subscribe(listener: BackplaneListener): () => void
}
