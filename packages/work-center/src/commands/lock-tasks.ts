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
 */
export async function lockTasks(tx: Tx, names: readonly TaskName[]): Promise<void> {
  if (names.length === 0) return
  await tx.execute(sql`
    select
    from unnest(
      ${sql.param(names.map(({ code }) => code))}::text[],
      ${sql.param(names.map(({ deduplicationKey }) => deduplicationKey))}::text[]
    ) with ordinality n (code, deduplication_key, place)
    join work_center.tasks t using (code, deduplication_key)
    order by n.place
    for update of t`)
}

/** The order in which all writers take tasks. Any will do, as long as it is one. */
export function byName(one: TaskName, other: TaskName): number {
  return compare(one.code, other.code) || compare(one.deduplicationKey, other.deduplicationKey)
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
