import { bigint, index, pgSchema, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { attachmentStatuses } from './contract.ts'

/** The package's own PostgreSQL schema. */
export const attachmentsSchema = pgSchema('attachments')

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** What is known of every file, deleted ones included. The bytes are in the object store. */
export const attachments = attachmentsSchema.table(
  'attachments',
  {
    id: uuid().primaryKey(),
    targetKind: text('target_kind').notNull(),
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
    sealToken: uuid('seal_token'),
    sealLeaseUntil: instant('seal_lease_until'),
  },
  (table) => [
    index('attachments_by_target')
      .on(table.targetId, table.targetTypeCode, table.targetKind, table.id.desc())
      .where(sql`status = 'ready'`),
    index('attachments_active_by_target')
      .on(table.targetId, table.targetTypeCode, table.targetKind)
      .where(sql`deleted_at is null`),
    index('attachments_pending_by_age').on(table.createdAt).where(sql`status = 'pending'`),
  ],
)
