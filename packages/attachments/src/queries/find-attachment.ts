import { sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { type Multipart, type MultipartRow, multipartColumns, toMultipart } from '../parts.ts'
import type { attachments } from '../schema.ts'
import {
  type AttachmentRow,
  attachmentColumns,
  fromAttachments,
  isExpired,
  toAttachment,
} from './attachment-row.ts'

/** A stored attachment. The added fields are not part of the wire format. */
export interface FoundAttachment extends Attachment {
  readonly isExpired: boolean
  /** The part of the key of the bytes that depends on the attempt. */
  readonly sealAttempt: number
  readonly multipart: Multipart | null
}

type Row = AttachmentRow & MultipartRow & RowOf<typeof attachments, 'sealAttempt'> & { is_expired: boolean }

/** Returns the attachment with this id in any status, or undefined if the id is unknown or malformed. */
export async function findAttachment(
  db: Db,
  config: AttachmentsConfig,
  id: string,
): Promise<FoundAttachment | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<Row>(sql`
    select ${attachmentColumns}, ${multipartColumns}, a.seal_attempt, ${isExpired(config)} as is_expired
    ${fromAttachments}
    where a.id = ${id}::uuid`)
  if (row === undefined) return undefined
  return {
    ...toAttachment(row),
    isExpired: row.is_expired,
    sealAttempt: row.seal_attempt,
    multipart: toMultipart(row),
  }
}
