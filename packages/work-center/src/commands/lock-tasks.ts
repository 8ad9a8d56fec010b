import type { Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'

/** What a task is known by to who creates and closes it. */
export interface TaskName {
  readonly code: string
  readonly deduplicationKey: string
}

/**
 * Locks the tasks that there are, in the order given, until the transaction ends. Whoever changes several tasks gives them
 * in {@link byName}'s order, so that two never wait for each other in a circle; and what follows sees them, and their
 * entries, as the last writer left them.
 *
 * A sub-select for each name: it is found by `tasks_deduplication_key` however few tasks PostgreSQL believes there are, and
 * locked before the next one is looked for.
 */
export async function lockTasks(tx: Tx, names: readonly TaskName[]): Promise<void> {
  if (names.length === 0) return
  await tx.execute(sql`
    select count((
      select t.id
      from work_center.tasks t
      where t.code = n.code and t.deduplication_key = n.deduplication_key
      for update
    ))
    from unnest(
      ${sql.param(names.map(({ code }) => code))}::text[],
      ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
    ) n (code, deduplication_key)`)
}

/** The order in which all writers take tasks. Any will do, as long as it is one. */
export function byName(one: TaskName, other: TaskName): number {
  return compare(one.code, other.code) || compare(one.deduplicationKey, other.deduplicationKey)
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
