import { index, integer, pgSchema, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'

/** The package's own PostgreSQL schema. */
export const notesSchema = pgSchema('notes')

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** Notes, deleted ones included. */
export const notes = notesSchema.table(
  'notes',
  {
    id: uuid().primaryKey(),
    targetKind: text('target_kind').notNull(),
    targetTypeCode: text('target_type_code').notNull(),
    targetId: uuid('target_id').notNull(),
    text: text().notNull(),
    version: integer().notNull().default(1),
    createdAt: instant('created_at').notNull().default(sql`statement_timestamp()`),
    createdByUserId: uuid('created_by_user_id').notNull(),
    updatedAt: instant('updated_at').notNull().default(sql`statement_timestamp()`),
    updatedByUserId: uuid('updated_by_user_id').notNull(),
    deletedAt: instant('deleted_at'),
  },
  (table) => [
    index('notes_by_target')
      .on(table.targetId, table.targetTypeCode, table.targetKind, table.id.desc())
      .where(sql`deleted_at is null`),
  ],
)
