import { sql } from 'drizzle-orm/sql'
import type { Database } from '../database/database.ts'

/** How many sessions of this database wait for a lock of another one at this moment, as the server says. */
export async function blockedCount(database: Database): Promise<number> {
  const [row] = await database.read((db) =>
    db.execute<{ count: number }>(sql`
      select count(*)::int as count
      from pg_catalog.pg_stat_activity
      where datname = current_database() and cardinality(pg_catalog.pg_blocking_pids(pid)) > 0`),
  )
  return row?.count ?? 0
}

/**
 * Resolves once at least `count` sessions of this database wait for locks of others: contention that is asked from the
 * server, not hoped for after a pause. Needs a connection of its own beside those that wait.
 */
export async function untilBlocked(database: Database, count = 1): Promise<void> {
  while ((await blockedCount(database)) < count);
}
