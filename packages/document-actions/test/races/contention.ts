import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** A change that is made and not yet committed. */
export interface HeldChange {
  commit(): Promise<void>
}

/** Makes a change in a transaction that stays open until `commit`. */
export async function hold(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<HeldChange> {
  const made = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = database.transaction(async (tx) => {
    await work(tx)
    made.resolve()
    await end.promise
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

/** Holds a document's row as an execution does. */
export function holdDocument(database: Database, { id }: { readonly id: string }): Promise<HeldChange> {
  return hold(database, (tx) =>
    tx.execute(sql`select from document_actions.documents where id = ${id}::uuid for no key update`),
  )
}

/** How many sessions of this database wait for others right now, as the server says. */
export async function blockedCount(database: Database): Promise<number> {
  const [row] = await database.read((db) =>
    db.execute<{ blocked: number }>(sql`
      select count(*)::int as blocked
      from pg_catalog.pg_stat_activity
      where datname = current_database() and cardinality(pg_catalog.pg_blocking_pids(pid)) > 0`),
  )
  return row?.blocked ?? 0
}

/** Resolves once that many sessions of this database wait for others. */
export async function untilBlocked(database: Database, count = 1): Promise<void> {
  while ((await blockedCount(database)) < count);
}
