import type { Caller } from '../access/caller.ts'
import type { StoredAuditEvent } from './queries/list-audit-events.ts'

/** A package whose events timelines show: which callers may see them, and what they offer. */
export interface AuditSource {
  /** As in its events. Events of a module that is not registered are not shown. */
  readonly module: string
  isVisibleTo(caller: Caller): boolean
  /** The attachment an event offers for download, if any. */
  downloadOf?(event: StoredAuditEvent): { readonly attachmentId: string } | null
}
