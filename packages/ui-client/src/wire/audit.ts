import type { Page } from './business-objects.ts'
import type { NavigationTarget } from './documents.ts'

/** One event of an audit timeline. `actor` is null if the service itself made the change. */
export interface AuditEvent {
  id: string
  target: { kind: string; typeCode: string; id: string }
  actionCode: string
  occurredAtUtc: string
  actor: { userId: string; displayName: string; email: string | null } | null
  correlationId: string | null
  metadata: { [name: string]: unknown } | null
  changes: { fieldPath: string; oldValue: unknown; newValue: unknown }[]
  download: { attachmentId: string } | null
}

/**
 * The names of objects and users, by id. It contains only what the reader may read. `target` is the place that shows the
 * object; null if the page has none.
 */
export interface References {
  [id: string]: { display: string; target: NavigationTarget | null }
}

/** One page of audit events, newest first, with the names of the ids on it. */
export interface AuditEventPage extends Page<AuditEvent> {
  references: References
}
