import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { sql } from 'drizzle-orm/sql'
import type { Attachment } from '../contract.ts'
import type { attachments } from '../schema.ts'
import { type AttachmentRow, attachmentColumns, fromAttachments, toAttachment } from './attachment-row.ts'

/** A stored attachment. `sealAttempt` is part of the key of its bytes; it is not part of the wire format. */
export interface FoundAttachment extends Attachment {
  readonly sealAttempt: number
}

type Row = AttachmentRow & RowOf<typeof attachments, 'sealAttempt'>

/** Returns the attachment with this id in any status, or undefined if the id is unknown or malformed. */
export async function findAttachment(db: Db, id: string): Promise<FoundAttachment | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<Row>(sql`
    select ${attachmentColumns}, a.seal_attempt
    ${fromAttachments}
    where a.id = ${id}::uuid`)
  return row === undefined ? undefined : { ...toAttachment(row), sealAttempt: row.seal_attempt }
}
