import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { recordMails } from './record-mails.ts'

export interface DiscardMails {
  /** `null` selects all dead letters. */
  readonly id: string | null
  readonly reason: string
  /** The operator's account name on the machine, because the command line has no sign-in. */
  readonly operator: string
}

/**
 * Gives up dead letters: they are skipped, and deleted after their retention. Writes one audit event for each mail. Returns
 * their number.
 */
export async function discardMails(tx: Tx, { id, reason, operator }: DiscardMails): Promise<number> {
  const rows = await tx.execute<{ id: string; user_id: string; attempts: number }>(sql`
    update work_center.mails
    set state = 'skipped', state_since = clock_timestamp()
    where state = 'dead' and ${id === null ? sql`true` : sql`id::text = lower(${id})`}
    returning id, user_id, attempts`)
  const mails = rows.map((row) => ({
    id: row.id,
    metadata: { userId: row.user_id, attempts: row.attempts, reason, operator },
  }))
  await recordMails(tx, 'work_center.mail_discarded', mails)
  return rows.length
}
