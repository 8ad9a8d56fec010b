import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import {
  type AttachmentRow,
  attachmentColumns,
  fromAttachments,
  isExpired,
  toAttachment,
} from './attachment-row.ts'

/** A locked attachment. The transaction keeps the row lock until it ends. */
export interface LockedAttachment {
  readonly attachment: Attachment
  readonly isExpired: boolean
  /** The id of the active seal lease, or `null` if no lease is active. */
  readonly sealLeaseId: string | null
}

type Row = AttachmentRow & { is_expired: boolean; seal_lease_id: string | null }

/**
 * Locks the row of an attachment and returns its latest committed state. Sends two statements together. The second reads
 * the row and the clock, and starts only after the first has acquired the lock, so the data is never older than the lock. The lock
 * does not wait for transactions of the application that refer to the attachment with a foreign key.
 *
 * @throws {AttachmentsError} attachments.not_found
 */
export async function lockAttachment(
  tx: Tx,
  config: AttachmentsConfig,
  id: string,
): Promise<LockedAttachment> {
  const [, [row]] = await Promise.all([
    tx.execute(sql`select id from attachments.attachments where id = ${id}::uuid for no key update`),
    tx.execute<Row>(sql`
      select ${attachmentColumns},
        ${isExpired(config)} as is_expired,
        case when a.seal_lease_until > clock_timestamp() then a.seal_lease_id end as seal_lease_id
      ${fromAttachments}
      where a.id = ${id}::uuid`),
  ])
  if (row === undefined) throw new AttachmentsError('attachments.not_found')
  return { attachment: toAttachment(row), isExpired: row.is_expired, sealLeaseId: row.seal_lease_id }
}
