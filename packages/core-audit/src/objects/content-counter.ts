import type { SQL } from 'drizzle-orm/sql'
import type { BusinessObjectReference, ContentSummary } from './contract.ts'

/** The contribution of a content package to the summary of a business object. */
export interface ContentCounter {
  readonly content: keyof ContentSummary
  /** Fixed at startup, like the state of every feature. */
  readonly isEnabled: boolean
  readonly readPermission: string
  /** Returns a scalar subquery that counts the items in a list of this content. */
  count(reference: BusinessObjectReference): SQL
}
