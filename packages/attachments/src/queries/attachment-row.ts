import { type SQL, sql, toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import type { attachments } from '../schema.ts'

/** The row of an attachment with the name of the author. Every statement that returns attachments selects these columns. */
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
  | 'sha256'
> & { created_by_display_name: string }

/** The select list of {@link AttachmentRow}, for use with {@link fromAttachments}. An unknown author has an empty name. */
export const attachmentColumns: SQL = sql`a.id, a.target_kind, a.target_type_code, a.target_id,
      a.file_name, a.content_type, a.size_bytes, a.status,
      a.created_at, a.created_by_user_id, coalesce(author.display_name, '') as created_by_display_name,
      a.completed_at, a.sha256`

/** The `from` clause for {@link attachmentColumns}, with the table as `a`. The statement must add a `where` clause. */
export const fromAttachments: SQL = sql`from attachments.attachments a
    left join core_audit.user_names author on author.id = a.created_by_user_id`

/** Returns an SQL condition that is true if upload `a` has expired. It uses the database clock, so all replicas agree. */
export function isExpired({ pendingStaleAgeMs }: AttachmentsConfig): SQL {
  return sql`a.created_at <= clock_timestamp() - ${pendingStaleAgeMs}::float8 * interval '1 millisecond'`
}

/** Converts a row into the `Attachment` of the wire format. */
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
    sha256: row.sha256,
  }
}
