import { recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { auditModule } from '../../audit.ts'

export interface DiscardMails {
  /** `null` selects all dead letters. */
  readonly id: string | null
  readonly reason: string
  /** The operator's account name on the machine, because the command line has no sign-in. */
  readonly operator: string
}

/** A statement has at most 65,535 parameters, and an audit event needs nine. */
const eventsPerStatement = 1_000

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
  const events = rows.map((row) => ({
    module: auditModule,
    target: { kind: 'Mail', typeCode: 'work_center.mail', id: row.id },
    actionCode: 'work_center.mail_discarded',
    actorUserId: null,
    correlationId: null,
    metadata: { userId: row.user_id, attempts: row.attempts, reason, operator },
  }))
  for (let start = 0; start < events.length; start += eventsPerStatement) {
    await recordAudit(tx, ...events.slice(start, start + eventsPerStatement))
  }
  return rows.length
}
