/** What content can be attached to. */
export type BusinessObjectKind = 'CatalogItem' | 'Document' | 'GeneralJournalEntry'

/** A stable business object identity: the parent of attachments, notes and audit events. */
export interface BusinessObjectReference {
  kind: BusinessObjectKind
  typeCode: string
  id: string
}

/** Counts of one parent; `null` where the feature is off or the caller may not read. */
export interface ContentSummary {
  attachments: number | null
  notes: number | null
}

/** One page of a list, newest first. `nextCursor` is the `cursor` of the next request; null on the last page. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}
