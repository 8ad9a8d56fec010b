import { recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { auditModule } from '../../audit.ts'

/** A mail about which an operator has decided. */
export interface DecidedMail {
  readonly id: string
  readonly metadata: Readonly<Record<string, string | number>>
}

/** A statement has at most 65,535 parameters, and an audit event needs nine. */
const eventsPerStatement = 1_000

/** Writes one audit event for each mail. */
export async function recordMails(
  tx: Tx,
  actionCode: 'work_center.mail_discarded' | 'work_center.mail_retried',
  mails: readonly DecidedMail[],
): Promise<void> {
  const events = mails.map(({ id, metadata }) => ({
    module: auditModule,
    target: { kind: 'Mail', typeCode: 'work_center.mail', id },
    actionCode,
    actorUserId: null,
    correlationId: null,
    metadata,
  }))
  for (let start = 0; start < events.length; start += eventsPerStatement) {
    await recordAudit(tx, ...events.slice(start, start + eventsPerStatement))
  }
}
