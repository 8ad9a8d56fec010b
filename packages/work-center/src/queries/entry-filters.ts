import { type SQL, sql } from '@vertical-kit/core-audit'
import { searchPattern } from '@vertical-kit/core-audit/database'
import type { Priority, Severity } from '../contract.ts'
import { isOverdue } from './viewer.ts'

/** The filters for the list of a tab. `null` disables a filter. */
export interface ItemFilters {
  readonly vertical: string | null
  readonly priority: Priority | null
  readonly severity: Severity | null
  readonly overdue: boolean | null
  readonly unread: boolean | null
  /** A text that the title or the source contains, in upper or lower case. */
  readonly q: string | null
  /** The code of a definition. */
  readonly definition: string | null
  /** The resource code of a source. */
  readonly source: string | null
}

/** The filters as a client sends them: absent, `null` or an empty text disables one. */
type SentFilters = { readonly [Name in keyof ItemFilters]?: ItemFilters[Name] | undefined }

/** Returns all filters in a fixed order, because the name of a list contains them. */
export const toFilters = (sent: SentFilters): ItemFilters => ({
  vertical: sent.vertical || null,
  priority: sent.priority ?? null,
  severity: sent.severity ?? null,
  overdue: sent.overdue ?? null,
  unread: sent.unread ?? null,
  q: sent.q || null,
  definition: sent.definition || null,
  source: sent.source || null,
})

/**
 * Returns the condition that the resource code of entry `e` belongs to the vertical: for `trade`, it starts with
 * `trade.`.
 */
export const inVertical = (vertical: string | null): SQL =>
  vertical === null ? sql`` : sql`and starts_with(e.resource_code, ${`${vertical}.`})`

/**
 * Returns the condition that entry `e`, with its task `t` or notification `n`, matches all filters. Each of its parts begins
 * with `and`.
 */
export function keptBy(filters: ItemFilters): SQL {
  const { vertical, priority, severity, overdue, unread, q, definition, source } = filters
  return sql`${inVertical(vertical)}
      ${source === null ? sql`` : sql`and e.resource_code = ${source}`}
      ${priority === null ? sql`` : sql`and e.priority = ${priority}`}
      ${severity === null ? sql`` : sql`and e.severity = ${severity}`}
      ${overdue === null ? sql`` : sql`and ${isOverdue} = ${overdue}::boolean`}
      ${unread === null ? sql`` : sql`and (e.read_at is null) = ${unread}::boolean`}
      ${definition === null ? sql`` : sql`and coalesce(t.code, n.code) = ${definition}`}
      ${q === null ? sql`` : sql`and ${contains(q)}`}`
}

/** The condition that the title or the source contains a text. */
function contains(q: string): SQL {
  const pattern = searchPattern(q)
  return sql`(
        coalesce(t.title, n.title) ~ ${pattern}
        or coalesce(t.source_title, n.source_title) ~ ${pattern}
        or coalesce(t.source_subtitle, n.source_subtitle) ~ ${pattern}
      )`
}
