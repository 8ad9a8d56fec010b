import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/** Sends dead letters again, with all attempts available, and returns their number. `null` selects all of them. */
export async function retryMails(tx: Tx, { id }: { readonly id: string | null }): Promise<number> {
  const rows = await tx.execute(sql`
    update work_center.mails
    set state = 'pending', state_since = clock_timestamp(), attempts = 0, available_at = clock_timestamp(), failure = null
    where state = 'dead' and ${id === null ? sql`true` : sql`id::text = lower(${id})`}
    returning id`)
  return rows.length
}
