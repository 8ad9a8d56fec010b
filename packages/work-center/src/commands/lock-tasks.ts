import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { claimsLock, shareSubstitutions } from './claims-lock.ts'

/** Identifies a task by the code of its definition and by its deduplication key. */
export interface TaskName {
  readonly code: string
  readonly deduplicationKey: string
}

/**
 * Locks tasks until the transaction ends: first the names of tasks that do not exist yet, then the existing tasks in the
 * given order. To avoid deadlocks, callers must sort the names with {@link byName}. Later statements of the transaction
 * read the last committed state of the tasks and their entries. Shares the claims lock first, so that every change of access
 * has been handled either before this transaction reads the members of a role, or after it commits.
 */
export async function lockTasks(tx: Tx, names: readonly TaskName[]): Promise<void> {
  if (names.length === 0) return
  const wanted = sql`unnest(
      ${sql.param(names.map(({ code }) => code))}::text[],
      ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
    ) n (code, deduplication_key)`
  await Promise.all([
    names.length > maxFreeNames ? tx.execute(lockEveryName) : lockFreeNames(tx, wanted),
    // One sub-select per name uses `tasks_deduplication_key` even if PostgreSQL underestimates the number of tasks. It
    // also locks each task before it searches for the next one.
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

/**
 * The maximum number of names that are locked one by one. For more names, one lock covers all names, because all sessions
 * of the server share a lock table with some thousands of slots.
 */
const maxFreeNames = 500

const everyName = sql`hashtextextended('vertical-kit.work-center.task-names', 0)`
const shareLocks = sql`pg_advisory_xact_lock_shared(${claimsLock}), ${shareSubstitutions}`
const lockEveryName = sql`select ${shareLocks}, pg_advisory_xact_lock(${everyName})`

/**
 * Locks the names that have no task yet, in the order of their hashes. Row locks cannot protect a task that another
 * transaction has inserted but not committed. A second transaction would not find that task, would lock other tasks, and
 * would then wait for the first transaction. If the first transaction then needed those tasks, both would be deadlocked.
 */
async function lockFreeNames(tx: Tx, wanted: SQL): Promise<void> {
  await Promise.all([
    tx.execute(sql`select ${shareLocks}, pg_advisory_xact_lock_shared(${everyName})`),
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

/**
 * Compares two tasks. All writers lock tasks in this order to prevent deadlocks. Statements that lock tasks themselves have the
 * same order: `order by code collate "C", deduplication_key collate "C"`, which compares the bytes of UTF-8.
 */
export function byName(one: TaskName, other: TaskName): number {
  return compare(one.code, other.code) || compare(one.deduplicationKey, other.deduplicationKey)
}

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))
