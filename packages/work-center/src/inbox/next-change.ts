import { type SQL, sql } from 'drizzle-orm/sql'

/**
 * When time alone changes next what the user sees of an entry, after now: the earliest of the end of its snooze, its due
 * date and its expiry that is yet to come; null when none is, or nothing of it is seen. Every statement that writes
 * one of these columns sets `changes_at` to it, and the clock does when the moment has come.
 *
 * The arguments are SQL: columns, or what they are about to be.
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
