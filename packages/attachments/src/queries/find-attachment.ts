import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { Attachment } from '../contract.ts'
import { type AttachmentRow, attachmentColumns, fromAttachments, toAttachment } from './attachment-row.ts'

/** Returns the attachment with this id in any status, or undefined if the id is unknown or malformed. */
export async function findAttachment(db: Db, id: string): Promise<Attachment | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<AttachmentRow>(sql`
    select ${attachmentColumns}
    ${fromAttachments}
    where a.id = ${id}::uuid`)
  return row === undefined ? undefined : toAttachment(row)
}
