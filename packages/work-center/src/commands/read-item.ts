import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { ItemName } from '../queries/find-item.ts'
import { type ChangedItem, changeOwnEntry, type OwnChange } from './change-own-entry.ts'

/**
 * Marks an item as read by this user. Idempotent: a repeated call keeps the time of the first call.
 * @throws {WorkCenterError} work_center.item_not_found
 */
export function readItem(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  input: OwnChange & ItemName,
): Promise<ChangedItem> {
  return changeOwnEntry(tx, administratorRoleCodes, input, {
    set: sql`read_at = clock_timestamp()`,
    when: sql`e.read_at is null`,
  })
}
