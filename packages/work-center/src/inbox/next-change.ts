import { type SQL, sql } from 'drizzle-orm/sql'

/**
 * Returns the next time at which an entry changes for its user without a write: the earliest future time of snooze end, due
 * date and expiry. It is null when no such time remains, or the entry is closed. Every statement that writes one of these
 * columns also stores this time in `changes_at`; the clock stores the next one when it passes.
 *
 * The arguments are SQL: columns, or the values about to be stored in them.
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
