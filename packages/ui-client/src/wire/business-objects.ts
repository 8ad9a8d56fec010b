/** The kinds of business objects that can have attachments and notes. */
export type BusinessObjectKind = 'CatalogItem' | 'Document' | 'GeneralJournalEntry'

/** The stable identity of a business object: the target of attachments, notes and audit events. */
export interface BusinessObjectReference {
  kind: BusinessObjectKind
  typeCode: string
  id: string
}

/** The counts of one object. A count is null if the feature is off, or if the caller has no permission to read. */
export interface ContentSummary {
  attachments: number | null
  notes: number | null
}

/** One page of a list, newest first. To request the next page, send `nextCursor` as `cursor`. The last page has null. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** Whether the user follows an object. */
export interface WatchState {
  isWatching: boolean
}
