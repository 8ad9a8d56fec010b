import { sql } from '@vertical-kit/core-audit'
import { businessObjectKinds } from '@vertical-kit/core-audit/contract'
import { bigint, check, index, integer, pgSchema, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { attachmentStatuses } from './contract.ts'

/** The PostgreSQL schema of this package. */
export const attachmentsSchema = pgSchema('attachments')

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The table of attachments. It has one row per file, including deleted files. The object store contains the bytes. */
export const attachments = attachmentsSchema.table(
  'attachments',
  {
    id: uuid().primaryKey(),
    targetKind: text('target_kind', { enum: businessObjectKinds }).notNull(),
    targetTypeCode: text('target_type_code').notNull(),
    targetId: uuid('target_id').notNull(),
    fileName: text('file_name').notNull(),
    contentType: text('content_type').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    status: text({ enum: attachmentStatuses }).notNull().default('pending'),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    createdByUserId: uuid('created_by_user_id').notNull(),
    completedAt: instant('completed_at'),
    deletedAt: instant('deleted_at'),
    sealLeaseId: uuid('seal_lease_id'),
    sealLeaseUntil: instant('seal_lease_until'),
    sealAttempt: integer('seal_attempt').notNull().default(0),
    sha256: text(),
    partSizeBytes: integer('part_size_bytes'),
    multipartUploadId: text('multipart_upload_id'),
    scanDueAt: instant('scan_due_at'),
    scanAttempts: integer('scan_attempts').notNull().default(0),
  },
  (table) => [
    index('attachments_by_target')
      .on(table.targetId, table.targetTypeCode, table.targetKind, table.id.desc().nullsFirst())
      .where(sql`status = 'ready'`),
    index('attachments_active_by_target')
      .on(table.targetId, table.targetTypeCode, table.targetKind)
      .where(sql`deleted_at is null`),
    index('attachments_pending_by_age').on(table.createdAt).where(sql`status = 'pending'`),
    index('attachments_scanning_by_due').on(table.scanDueAt).where(sql`status = 'scanning'`),
    index('attachments_scanning_by_author')
      .on(sql`(scan_attempts > 0)`, table.createdByUserId, table.scanDueAt)
      .where(sql`status = 'scanning'`),
    check(
      'attachments_target_check',
      sql`target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''`,
    ),
    check(
      'attachments_file_name_check',
      sql`char_length(file_name) between 1 and 255
        and file_name not in ('.', '..')
        and file_name !~ '[/\\\\]'`,
    ),
    check(
      'attachments_content_type_check',
      sql`char_length(content_type) <= 200 and content_type ~ '^[^/]+/[^/]+$'`,
    ),
    check('attachments_size_bytes_check', sql`size_bytes between 0 and 5368709120`),
    check('attachments_sha256_check', sql`sha256 ~ '^[0-9A-Za-z+/]{43}=$'`),
    check(
      'attachments_multipart_check',
      sql`case when part_size_bytes is null then multipart_upload_id is null else part_size_bytes > 0 end`,
    ),
    check(
      'attachments_status_check',
      sql`status in ('pending', 'scanning', 'ready', 'quarantined', 'deleted')`,
    ),
    check(
      'attachments_completed_check',
      sql`case status
        when 'ready' then completed_at is not null
        when 'deleted' then true
        else completed_at is null
      end`,
    ),
    check(
      'attachments_deleted_check',
      sql`(status in ('quarantined', 'deleted')) = (deleted_at is not null)`,
    ),
    check('attachments_scan_check', sql`(status = 'scanning') = (scan_due_at is not null)`),
    check(
      'attachments_seal_check',
      sql`(seal_lease_id is null) = (seal_lease_until is null) and (seal_lease_id is null or status = 'pending')`,
    ),
  ],
)
