import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { insertAttachment, type NewAttachment } from './insert-attachment.ts'

/**
 * Reserves a place for an upload, with its audit event, unless the object has all it may have.
 * @throws {AttachmentsError} attachments.count_limit_exceeded; the transaction must not go on
 */
export function reserveUpload(tx: Tx, config: AttachmentsConfig, input: NewAttachment): Promise<Attachment> {
  return insertAttachment(tx, config, { ...input, status: 'pending' })
}
