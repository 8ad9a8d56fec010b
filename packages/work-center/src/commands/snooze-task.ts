import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import { WorkCenterError } from '../errors.ts'
import { nextChange } from '../inbox/next-change.ts'
import { type ChangedItem, changeOwnEntry, type OwnChange } from './change-own-entry.ts'

export interface SnoozeTask extends OwnChange {
  /** The end of the snooze. `null` or a past time ends the snooze immediately. */
  readonly snoozedUntilUtc: string | null
}

/**
 * Hides an open task from this user's attention list until a given time, or ends the snooze of the task. Idempotent.
 * @throws {WorkCenterError} work_center.item_not_found, also for a task that is completed or cancelled
 */
export async function snoozeTask(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  { snoozedUntilUtc, ...change }: SnoozeTask,
): Promise<ChangedItem> {
  const until = ifAhead(sql`${snoozedUntilUtc}::timestamptz`)
  const changesAt = nextChange({
    isOpen: sql`e.is_open`,
    snoozedUntil: until,
    dueAt: sql`e.due_at`,
    expiresAt: sql`e.expires_at`,
  })
  const changed = await changeOwnEntry(
    tx,
    administratorRoleCodes,
    { ...change, kind: 'Task' },
    {
      set: sql`snoozed_until = ${until}, changes_at = ${changesAt}`,
      when: sql`e.is_open and ${until} is distinct from ${ifAhead(sql`e.snoozed_until`)}`,
    },
  )
  const { taskStatus } = changed.item
  if (taskStatus === 'Completed' || taskStatus === 'Cancelled') {
    throw new WorkCenterError('work_center.item_not_found', { detail: 'This task is no longer open.' })
  }
  return changed
}

/** Replaces a past time with null, so that an expired snooze is stored like an absent snooze. */
const ifAhead = (instant: SQL): SQL => sql`case when ${instant} > statement_timestamp() then ${instant} end`
