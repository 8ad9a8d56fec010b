import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { nextChange } from '../inbox/next-change.ts'
import type { ChangeConfig, ChangedItems, ItemChange } from './change-items.ts'
import { changeOwnEntries } from './change-own-entries.ts'

/** Removes notifications from this user's lists until they are restored. Idempotent. */
export const dismissNotifications = (
  tx: Tx,
  config: ChangeConfig,
  change: ItemChange,
): Promise<ChangedItems> =>
  changeOwnEntries(tx, config, change, {
    kind: 'Notification',
    set: sql`is_open = false, changes_at = null`,
    when: sql`e.is_open`,
  })

/** Returns dismissed notifications to this user's lists, read or unread as they were. Idempotent. */
export const restoreNotifications = (
  tx: Tx,
  config: ChangeConfig,
  change: ItemChange,
): Promise<ChangedItems> =>
  changeOwnEntries(tx, config, change, {
    kind: 'Notification',
    set: sql`is_open = true, changes_at = ${changesAt}`,
    when: sql`not e.is_open`,
  })

const changesAt = nextChange({
  isOpen: sql`true`,
  snoozedUntil: sql`e.snoozed_until`,
  dueAt: sql`e.due_at`,
  expiresAt: sql`e.expires_at`,
})
