import type { SQL } from '../database/sql.ts'
import type { ContentSummary } from './contract.ts'

/** The business object of a count: values for one object, or the columns of a list of objects. */
export interface CountedTarget {
  readonly kind: string | SQL
  readonly typeCode: string | SQL
  readonly id: string | SQL
}

/** The contribution of a content package to the summary of a business object. */
export interface ContentCounter {
  readonly content: keyof ContentSummary
  /** Whether the feature of this content is enabled. The value never changes after startup. */
  readonly isEnabled: boolean
  readonly readPermission: string
  /** Returns a scalar subquery that counts the content of a business object, as a list of this content shows it. */
  count(target: CountedTarget): SQL
}
