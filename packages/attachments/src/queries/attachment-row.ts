import { toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import type { attachments } from '../schema.ts'

/** The row of an attachment, with the name of its author. Every statement that returns attachments selects it. */
export type AttachmentRow = RowOf<
  typeof attachments,
  | 'id'
  | 'targetKind'
  | 'targetTypeCode'
  | 'targetId'
  | 'fileName'
  | 'contentType'
  | 'sizeBytes'
  | 'status'
  | 'createdAt'
  | 'createdByUserId'
  | 'completedAt'
> & { created_by_display_name: string }

/** The columns of {@link AttachmentRow}, selected from {@link fromAttachments}. An unknown author has an empty name. */
export const attachmentColumns: SQL = sql`a.id, a.target_kind, a.target_type_code, a.target_id,
      a.file_name, a.content_type, a.size_bytes, a.status,
      a.created_at, a.created_by_user_id, coalesce(author.display_name, '') as created_by_display_name,
      a.completed_at`

/** All attachments as `a`. Append a `where` clause. */
export const fromAttachments: SQL = sql`from attachments.attachments a
    left join core_audit.user_names author on author.id = a.created_by_user_id`

/** Whether the time to complete `a` is over. Uses the clock of the database, so all replicas agree. */
export function isExpired({ pendingStaleAgeMs }: AttachmentsConfig): SQL {
  return sql`a.created_at <= clock_timestamp() - ${pendingStaleAgeMs}::float8 * interval '1 millisecond'`
}

/** Converts a row into its wire shape. */
export function toAttachment(row: AttachmentRow): Attachment {
  return {
    id: row.id,
    target: { kind: row.target_kind, typeCode: row.target_type_code, id: row.target_id },
    fileName: row.file_name,
    contentType: row.content_type,
    sizeBytes: Number(row.size_bytes),
    status: row.status,
    createdAtUtc: toInstant(row.created_at),
    createdByUserId: row.created_by_user_id,
    createdByDisplayName: row.created_by_display_name,
    completedAtUtc: toInstantOrNull(row.completed_at),
  }
}
