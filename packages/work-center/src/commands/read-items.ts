import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { ChangeConfig, ChangedItems, ItemChange } from './change-items.ts'
import { changeOwnEntries } from './change-own-entries.ts'

/** Marks items as read by this user. Idempotent: a repeated call keeps the time of the first call. */
export const readItems = (tx: Tx, config: ChangeConfig, change: ItemChange): Promise<ChangedItems> =>
  changeOwnEntries(tx, config, change, {
    set: sql`read_at = clock_timestamp()`,
    when: sql`e.read_at is null`,
  })

/** Marks items as unread by this user. Idempotent. */
export const unreadItems = (tx: Tx, config: ChangeConfig, change: ItemChange): Promise<ChangedItems> =>
  changeOwnEntries(tx, config, change, { set: sql`read_at = null`, when: sql`e.read_at is not null` })
