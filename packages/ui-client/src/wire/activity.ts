import type { Attachment } from './attachments.ts'
import type { AuditEvent, References } from './audit.ts'
import type { BusinessObjectReference, ContentSummary, Page } from './business-objects.ts'
import type { Note } from './notes.ts'
import type { WorkCenterItem } from './work-center.ts'

interface EntryOf<Type extends string> {
  type: Type
  id: string
  occurredAtUtc: string
  actor: AuditEvent['actor']
}

/** An entry in the activity of an object, with the item of its own list. */
export type ActivityEntry =
  | (EntryOf<'audit'> & { event: AuditEvent })
  | (EntryOf<'note'> & { note: Note })
  | (EntryOf<'file'> & { attachment: Attachment })
  | (EntryOf<'task'> & { task: WorkCenterItem })

/** One page of the activity of an object, newest first. */
export interface ActivityPage extends Page<ActivityEntry> {
  references: References
}

/** The summaries of several objects, in the order of the request. */
export interface ContentSummaries {
  items: (
    | ({ target: BusinessObjectReference } & ContentSummary)
    | { target: BusinessObjectReference; isAvailable: false }
  )[]
}
