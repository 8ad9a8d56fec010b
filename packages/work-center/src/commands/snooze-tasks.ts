import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { nextChange } from '../inbox/next-change.ts'
import {
  type ChangeConfig,
  type ChangedItems,
  type ItemChange,
  type ItemResult,
  notFound,
} from './change-items.ts'
import { changeOwnEntries } from './change-own-entries.ts'

export interface SnoozeTasks extends ItemChange {
  /** The end of the snooze. `null` or a past time ends the snooze immediately. */
  readonly snoozedUntilUtc: string | null
}

/**
 * Hides open tasks from this user's attention list until a given time, or ends their snooze. Idempotent. Refuses a task that is
 * completed or cancelled with work_center.item_not_found.
 */
export async function snoozeTasks(
  tx: Tx,
  config: ChangeConfig,
  { snoozedUntilUtc, ...change }: SnoozeTasks,
): Promise<ChangedItems> {
  const until = ifAhead(sql`${snoozedUntilUtc}::timestamptz`)
  const changesAt = nextChange({
    isOpen: sql`e.is_open`,
    snoozedUntil: until,
    dueAt: sql`e.due_at`,
    expiresAt: sql`e.expires_at`,
  })
  const { results, versions } = await changeOwnEntries(tx, config, change, {
    kind: 'Task',
    set: sql`snoozed_until = ${until}, changes_at = ${changesAt}`,
    when: sql`e.is_open and ${until} is distinct from ${ifAhead(sql`e.snoozed_until`)}`,
  })
  return { results: results.map(unlessClosed), versions }
}

const unlessClosed = (result: ItemResult): ItemResult =>
  result !== null &&
  'taskStatus' in result &&
  (result.taskStatus === 'Completed' || result.taskStatus === 'Cancelled')
    ? notFound('This task is no longer open.')
    : result

/** Replaces a past time with null, so that an expired snooze is stored like an absent snooze. */
const ifAhead = (instant: SQL): SQL => sql`case when ${instant} > statement_timestamp() then ${instant} end`
