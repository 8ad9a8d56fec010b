import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'

/** What a task is known by to who creates and closes it. */
export interface TaskName {
  readonly code: string
  readonly deduplicationKey: string
}

/**
 * Locks tasks until the transaction ends, those that there are in the order given, and before them the names of those that
 * there are not. Whoever changes several tasks gives them in {@link byName}'s order, so that two never wait for each other in
 * a circle; and what follows sees them, and their entries, as the last writer left them.
 */
export async function lockTasks(tx: Tx, names: readonly TaskName[]): Promise<void> {
  if (names.length === 0) return
  const wanted = sql`unnest(
      ${sql.param(names.map(({ code }) => code))}::text[],
      ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
    ) n (code, deduplication_key)`
  await Promise.all([
    names.length > maxFreeNames ? tx.execute(lockEveryName) : lockFreeNames(tx, wanted),
    // A sub-select for each name: it is found by `tasks_deduplication_key` however few tasks PostgreSQL believes there are,
    // and locked before the next one is looked for.
    tx.execute(sql`
      select count((
        select t.id
        from work_center.tasks t
        where t.code = n.code and t.deduplication_key = n.deduplication_key
        for update
      ))
      from ${wanted}`),
  ])
}

/** Each is an entry of the server's table of locks, which holds some thousands for all its sessions. */
const maxFreeNames = 500

const everyName = sql`hashtextextended('vertical-kit.work-center.task-names', 0)`
const lockEveryName = sql`select pg_advisory_xact_lock(${everyName})`

/**
 * Locks names that no task has yet, in the order of their hashes. A task that somebody is about to make is not there for
 * others to lock: without this, one who found it missing could wait for its maker with another task locked that its maker
 * wants next.
 */
async function lockFreeNames(tx: Tx, wanted: SQL): Promise<void> {
  await Promise.all([
    tx.execute(sql`select pg_advisory_xact_lock_shared(${everyName})`),
    tx.execute(sql`
      select count(pg_advisory_xact_lock(free.key))
      from (
        select distinct
          hashtextextended(jsonb_build_array('vertical-kit.work-center.task', n.code, n.deduplication_key)::text, 0)
            as key
        from ${wanted}
        where (
          select t.id
          from work_center.tasks t
          where t.code = n.code and t.deduplication_key = n.deduplication_key
        ) is null
        order by key
      ) free`),
  ])
}

/** The order in which all writers take tasks. Any will do, as long as it is one. */
export function byName(one: TaskName, other: TaskName): number {
  return compare(one.code, other.code) || compare(one.deduplicationKey, other.deduplicationKey)
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
