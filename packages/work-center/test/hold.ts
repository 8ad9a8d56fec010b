import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** A change that is made and not yet committed. */
export interface HeldChange<T> {
  /** Commits, and answers what the change did. */
  commit(): Promise<T>
}

/** Makes a change in a transaction that stays open until `commit`. */
export async function hold<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<HeldChange<T>> {
  const made = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = database.transaction(async (tx) => {
    const result = await work(tx)
    made.resolve()
    await end.promise
    return result
  })
  done.catch(made.reject)
  await made.promise
  return {
    commit() {
      end.resolve()
      return done
    },
  }
}

/** Resolves once that many sessions of this database wait for others, as the server says. */
export async function untilBlocked(database: Database, count = 1): Promise<void> {
  for (;;) {
    const [row] = await database.read((db) =>
      db.execute<{ blocked: number }>(sql`
        select count(*)::int as blocked from pg_catalog.pg_stat_activity
        where datname = current_database() and cardinality(pg_catalog.pg_blocking_pids(pid)) > 0`),
    )
    if ((row?.blocked ?? 0) >= count) return
  }
}
