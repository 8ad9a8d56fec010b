import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { isInView } from '../inbox/in-view.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { afterSubstitutions, substitutionsShared } from './claims-lock.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** The changes that time caused in one batch. */
export interface PassedTime {
  readonly entryCount: number
  /** The changes that users see. */
  readonly changes: readonly SeenChange[]
}

/**
 * Processes up to `batchSize` entries with a snooze end, due date or expiry that has passed, oldest first. For each
 * entry, stores the next time at which it changes. Uses the index `entries_by_change`. Skips locked entries, which a
 * later call processes, so any number of replicas can run this concurrently.
 */
export async function passTime(tx: Tx, batchSize: number): Promise<PassedTime> {
  const rows = await tx.execute<SeenRow & { entry_count: number }>(sql`
    with ${substitutionsShared},
    due as (
      select user_id, item_id
      from work_center.entries
      where ${afterSubstitutions}
        and changes_at <= statement_timestamp()
      order by changes_at
      limit ${batchSize}::int
      for update skip locked
    ),
    changed as (
      update work_center.entries e
      set changes_at = ${changesAt}
      from due
      where e.user_id = due.user_id and e.item_id = due.item_id
      returning e.user_id, e.role_id, e.view_permission, e.is_visible, e.kind
    )
    select e.view_permission, e.kind = 'Notification' as is_private, count(*)::int as entry_count,
      string_agg(e.user_id::text, ',') filter (where ${isInView}) as user_ids
    from changed e
    group by e.view_permission, e.kind`)
  return { entryCount: rows.reduce((sum, row) => sum + row.entry_count, 0), changes: changesOf(rows) }
}

const changesAt = nextChange({
  isOpen: sql`e.is_open`,
  snoozedUntil: sql`e.snoozed_until`,
  dueAt: sql`e.due_at`,
  expiresAt: sql`e.expires_at`,
})

/**
 * An expression for the time at which the next entry changes, or the next substitution starts or ends. Uses the indexes
 * `entries_by_change` and `substitutions_by_change`.
 */
export const nextChangeAt: SQL<string | null> = sql<string | null>`least(
  (select min(changes_at) from work_center.entries), (select min(changes_at) from work_center.substitutions)
)`
