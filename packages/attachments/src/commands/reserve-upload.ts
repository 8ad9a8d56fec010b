import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { insertAttachment, type NewAttachment } from './insert-attachment.ts'

/**
 * Inserts a pending attachment and its audit event, unless the business object has reached its limit.
 * @throws {AttachmentsError} attachments.count_limit_exceeded; the caller must roll the transaction back
 */
export function reserveUpload(tx: Tx, config: AttachmentsConfig, input: NewAttachment): Promise<Attachment> {
  return insertAttachment(tx, config, { ...input, status: 'pending' })
}
