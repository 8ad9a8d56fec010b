import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { insertAttachment, type NewAttachment } from './insert-attachment.ts'

/**
 * Reserves an upload and writes its audit event unless the object has reached its limit.
 * @throws {AttachmentsError} attachments.count_limit_exceeded; roll the transaction back
 */
export function reserveUpload(tx: Tx, config: AttachmentsConfig, input: NewAttachment): Promise<Attachment> {
  return insertAttachment(tx, config, { ...input, status: 'pending' })
}
