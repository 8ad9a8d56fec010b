import { type SQL, sql } from 'drizzle-orm/sql'
import type { Priority, Severity } from '../contract.ts'
import { isOverdue } from './viewer.ts'

/** The filters for the list of a tab. `null` disables a filter. */
export interface ItemFilters {
  readonly vertical: string | null
  readonly priority: Priority | null
  readonly severity: Severity | null
  readonly overdue: boolean | null
  readonly unread: boolean | null
}

/**
 * Returns the condition that the resource code of entry `e` belongs to the vertical: for `trade`, it starts with
 * `trade.`.
 */
export const inVertical = (vertical: string | null): SQL =>
  vertical === null ? sql`` : sql`and starts_with(e.resource_code, ${`${vertical}.`})`

/** Returns the condition that entry `e` matches all filters. Each of its parts begins with `and`. */
export function keptBy({ vertical, priority, severity, overdue, unread }: ItemFilters): SQL {
  return sql`${inVertical(vertical)}
      ${priority === null ? sql`` : sql`and e.priority = ${priority}`}
      ${severity === null ? sql`` : sql`and e.severity = ${severity}`}
      ${overdue === null ? sql`` : sql`and ${isOverdue} = ${overdue}::boolean`}
      ${unread === null ? sql`` : sql`and (e.read_at is null) = ${unread}::boolean`}`
}
