import { type SQL, sql } from '@vertical-kit/core-audit'

/**
 * Returns the next time at which an entry changes for its user without a write: the earliest future time among its snooze
 * end, due date and expiry. Returns null if all of them have passed or are absent, or if the entry is closed. Every
 * statement that writes one of these columns also stores this time in `changes_at`. When the time has passed, the clock
 * stores the next one.
 *
 * Each argument is SQL: a column, or the value that the statement stores in the column.
 */
export function nextChange(entry: {
  readonly isOpen: SQL
  readonly snoozedUntil: SQL
  readonly dueAt: SQL
  readonly expiresAt: SQL
}): SQL {
  const ahead = (instant: SQL): SQL => sql`case when ${instant} > statement_timestamp() then ${instant} end`
  return sql`case when ${entry.isOpen} then least(
    ${ahead(entry.snoozedUntil)}, ${ahead(entry.dueAt)}, ${ahead(entry.expiresAt)}
  ) end`
}
