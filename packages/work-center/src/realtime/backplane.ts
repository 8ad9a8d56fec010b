import type { VersionChanges } from '../inbox/version-changes.ts'
import type { ObjectChanges } from './object-key.ts'

/** The callbacks through which the backplane notifies a hub. */
export interface BackplaneListener {
  /** Reports new versions of users. A call can repeat or arrive late, so a version can be lower than the known version. */
  changed(changes: VersionChanges): void
  /** Reports changes of objects, once per announcement. */
  objectsChanged(objects: ObjectChanges): void
  /** Reports that changes may have been lost. The hub must read the versions of all connected users again, and all objects. */
  missed(): void
}

/**
 * Sends changes to all replicas of a host. It is allowed to lose changes, because hubs also read them from the
 * database, periodically and after `missed`. An implementation without PostgreSQL must provide the same functions.
 */
export interface Backplane {
  /** Announces committed versions to all replicas, including this replica. Returns immediately and does not throw. */
  publish(changes: VersionChanges): void
  /** Announces committed changes of objects in the same way. */
  publishObjects(objects: ObjectChanges): void
  /** Subscribes a listener, and returns a function that ends the subscription. */
  subscribe(listener: BackplaneListener): () => void
}
