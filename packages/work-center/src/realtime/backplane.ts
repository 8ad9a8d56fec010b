import type { VersionChanges } from '../inbox/version-changes.ts'

/** The callbacks through which the backplane notifies a hub. */
export interface BackplaneListener {
  /** Reports new versions of users. A call can repeat or arrive late, so a version can be lower than the known version. */
  changed(changes: VersionChanges): void
  /** Reports that changes may have been lost. The hub must read the versions of all connected users again. */
  missed(): void
}

/**
 * Sends versions to all replicas of a host. It is allowed to lose versions, because hubs also read them from the
 * database, periodically and after `missed`. An implementation without PostgreSQL must provide the same two functions.
 */
export interface Backplane {
  /** Announces committed versions to all replicas, including this replica. Returns immediately and does not throw. */
  publish(changes: VersionChanges): void
  /** Subscribes a listener, and returns a function that ends the subscription. */
  subscribe(listener: BackplaneListener): () => void
}
