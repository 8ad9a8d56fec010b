import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { recordMails } from './record-mails.ts'

export interface RetryMails {
  /** `null` selects all dead letters. */
  readonly id: string | null
  readonly operator: string
}

/**
 * Sends dead letters again, with all attempts available. Writes one audit event for each mail. Returns their number.
 */
export async function retryMails(tx: Tx, { id, operator }: RetryMails): Promise<number> {
  const rows = await tx.execute<{ id: string; user_id: string }>(sql`
    update work_center.mails
    set state = 'pending', state_since = clock_timestamp(), attempts = 0, available_at = clock_timestamp(), failure = null
    where state = 'dead' and ${id === null ? sql`true` : sql`id::text = lower(${id})`}
    returning id, user_id`)
  const mails = rows.map((row) => ({ id: row.id, metadata: { userId: row.user_id, operator } }))
  await recordMails(tx, 'work_center.mail_retried', mails)
  return rows.length
}
