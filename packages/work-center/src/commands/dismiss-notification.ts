import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { nextChange } from '../inbox/next-change.ts'
import { type ChangedItem, changeOwnEntry, type OwnChange } from './change-own-entry.ts'

/**
 * Removes a notification from this user's lists permanently. Idempotent.
 * @throws {WorkCenterError} work_center.item_not_found
 */
export function dismissNotification(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  input: OwnChange,
): Promise<ChangedItem> {
  const changesAt = nextChange({
    isOpen: sql`false`,
    snoozedUntil: sql`e.snoozed_until`,
    dueAt: sql`e.due_at`,
    expiresAt: sql`e.expires_at`,
  })
  return changeOwnEntry(
    tx,
    administratorRoleCodes,
    { ...input, kind: 'Notification' },
    { set: sql`is_open = false, changes_at = ${changesAt}`, when: sql`e.is_open` },
  )
}
