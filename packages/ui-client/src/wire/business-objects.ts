/** The kinds of business objects that can have attachments and notes. */
export type BusinessObjectKind = 'CatalogItem' | 'Document' | 'GeneralJournalEntry'

/** The stable identity of a business object: the target of attachments, notes and audit events. */
export interface BusinessObjectReference {
  kind: BusinessObjectKind
  typeCode: string
  id: string
}

/** The counts of one object; `null` if the feature is off or the caller may not read. */
export interface ContentSummary {
  attachments: number | null
  notes: number | null
}

/** One page of a list, newest first. `nextCursor` is the `cursor` of the next request; null on the last page. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}
