import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** Returns how many sessions of this database currently wait for a lock of another session. */
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
 * Resolves when at least `count` sessions of this database wait for locks. It queries the server repeatedly instead of
 * waiting for a fixed time. It needs a connection of its own, in addition to those of the waiting sessions.
 */
export async function untilBlocked(database: Database, count = 1): Promise<void> {
  while ((await blockedCount(database)) < count);
}
