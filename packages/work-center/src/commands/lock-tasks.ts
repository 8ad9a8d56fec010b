import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'

/** Identifies a task for the code that creates and closes it. */
export interface TaskName {
  readonly code: string
  readonly deduplicationKey: string
}

/**
 * Locks tasks until the transaction ends: first the names of tasks that do not exist yet, then existing tasks in the given
 * order. To avoid deadlocks, callers sort the names with {@link byName}. Later statements of the transaction read the last
 * committed state of the tasks and their entries.
 */
export async function lockTasks(tx: Tx, names: readonly TaskName[]): Promise<void> {
  if (names.length === 0) return
  const wanted = sql`unnest(
      ${sql.param(names.map(({ code }) => code))}::text[],
      ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
    ) n (code, deduplication_key)`
  await Promise.all([
    names.length > maxFreeNames ? tx.execute(lockEveryName) : lockFreeNames(tx, wanted),
    // One sub-select per name uses `tasks_deduplication_key` even if PostgreSQL underestimates the number of tasks, and
    // locks each task before it searches for the next one.
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

/** Each lock occupies a slot of the server's lock table, which has some thousands of slots for all sessions. */
const maxFreeNames = 500

const everyName = sql`hashtextextended('vertical-kit.work-center.task-names', 0)`
const lockEveryName = sql`select pg_advisory_xact_lock(${everyName})`

/**
 * Locks names without a task, ordered by hash. A row lock cannot protect an uncommitted task: a second transaction that
 * does not find it would lock other tasks and then wait for the first transaction, while the first one waits for those
 * tasks. The name lock prevents this deadlock.
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

/** Compares tasks in the order in which all writers lock them. Any fixed order would prevent deadlocks. */
export function byName(one: TaskName, other: TaskName): number {
  return compare(one.code, other.code) || compare(one.deduplicationKey, other.deduplicationKey)
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
