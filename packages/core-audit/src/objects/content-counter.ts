import type { SQL } from 'drizzle-orm/sql'
import type { BusinessObjectReference, ContentSummary } from './contract.ts'

/** What a content package contributes to the summary of a parent. */
export interface ContentCounter {
  readonly content: keyof ContentSummary
  /** Frozen at startup, like every feature's state. */
  readonly isEnabled: boolean
  readonly readPermission: string
  /** A scalar subquery that counts what a list of this content would show. */
  count(reference: BusinessObjectReference): SQL
}
