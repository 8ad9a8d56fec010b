import { type SQL, sql } from 'drizzle-orm/sql'
import type { Priority, Severity } from '../contract.ts'
import { isOverdue } from './viewer.ts'

/** What a list keeps of a tab; `null` keeps everything. */
export interface ItemFilters {
  readonly vertical: string | null
  readonly priority: Priority | null
  readonly severity: Severity | null
  readonly overdue: boolean | null
  readonly unread: boolean | null
}

/** `vertical=trade` keeps what is about `trade.…`, of entries as `e`. */
export const inVertical = (vertical: string | null): SQL =>
  vertical === null ? sql`` : sql`and starts_with(e.resource_code, ${`${vertical}.`})`

/** The conditions, each with its `and`, that all filters keep an entry, as `e`. */
export function keptBy({ vertical, priority, severity, overdue, unread }: ItemFilters): SQL {
  return sql`${inVertical(vertical)}
      ${priority === null ? sql`` : sql`and e.priority = ${priority}`}
      ${severity === null ? sql`` : sql`and e.severity = ${severity}`}
      ${overdue === null ? sql`` : sql`and ${isOverdue} = ${overdue}::boolean`}
      ${unread === null ? sql`` : sql`and (e.read_at is null) = ${unread}::boolean`}`
}
