import type { Caller } from '../access/caller.ts'
import type { StoredAuditEvent } from './queries/list-audit-events.ts'

/** The access rule and the downloads for one package's events in timelines. */
export interface AuditSource {
  /** Equals `module` of the events. Timelines hide the events of unregistered modules. */
  readonly module: string
  isVisibleTo(caller: Caller): boolean
  /** Returns the attachment that an event offers for download, if any. */
  downloadOf?(event: StoredAuditEvent): { readonly attachmentId: string } | null
}
