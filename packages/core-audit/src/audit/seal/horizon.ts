import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** Finds the time before which no transaction can still commit an event. */
export interface Horizon {
  /**
   * Returns a time of the database in milliseconds since 1970, or `null` at the first call. Every transaction that stored an
   * event before this time has ended, and is visible to the next statement. Call it again later to move the time forward.
   */
  advance(tx: Tx): Promise<number | null>
}

interface Look {
  readonly atMs: number
  /** The virtual ids of the transactions that held the lock. */
  readonly writers: readonly string[]
}

/**
 * Creates a horizon. It compares two looks at the locks of the events' table and of its partitions. An insert acquires
 * `RowExclusiveLock` on the table before it computes the id, and its transaction keeps the lock until its commit is visible, or
 * until it has rolled back.
 * So if the writers of an earlier look have ended, all transactions that stored an event before that look have ended.
 *
 * Every role can read `pg_locks`. In contrast to `pg_snapshot_xmin`, transactions in other tables or databases do not matter,
 * and an insert that waits after it has computed its id is also found: it does not have a transaction id yet.
 *
 * A prepared transaction keeps its locks under another virtual id. It has no process, and counts as a writer of every look.
 */
export function createHorizon(): Horizon {
  let reachedMs: number | null = null
  let earlier: Look | undefined
  return {
    async advance(tx) {
      const look = await lookAt(tx)
      if (earlier !== undefined && !earlier.writers.some((writer) => look.writers.includes(writer))) {
        if (!look.hasPrepared) reachedMs = earlier.atMs
      }
      // While writers of the earlier look are still active, keep it: they are the ones to wait for.
      if (earlier === undefined || reachedMs === earlier.atMs) earlier = look
      return reachedMs
    },
  }
}

/** Reads the clock before the locks, in two statements, because one statement could read them in any order. */
async function lookAt(tx: Tx): Promise<Look & { readonly hasPrepared: boolean }> {
  const [clock] = await tx.execute<{ at_ms: number }>(sql`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at_ms`)
  const [locks] = await tx.execute<{ writers: readonly string[]; has_prepared: boolean }>(sql`
    select coalesce(array_agg(virtualtransaction) filter (where pid is not null), '{}') as writers,
      coalesce(bool_or(pid is null), false) as has_prepared
    from pg_locks
    where locktype = 'relation'
      and database = (select oid from pg_database where datname = current_database())
      and relation in (
        select 'core_audit.audit_events'::regclass::oid
        union all
        select inhrelid from pg_inherits where inhparent = 'core_audit.audit_events'::regclass
      )
      and mode = 'RowExclusiveLock'`)
  if (clock === undefined || locks === undefined) throw new Error('Reading the locks returned no row')
  return { atMs: clock.at_ms, writers: locks.writers, hasPrepared: locks.has_prepared }
}
