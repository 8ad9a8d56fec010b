import { sql } from '@vertical-kit/core-audit'
import { businessObjectKinds } from '@vertical-kit/core-audit/contract'
import {
  boolean,
  check,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

/** The PostgreSQL schema of this package. */
export const notesSchema = pgSchema('notes')

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The table of notes. It has one row per note, including deleted notes. */
export const notes = notesSchema.table(
  'notes',
  {
    id: uuid().primaryKey(),
    targetKind: text('target_kind', { enum: businessObjectKinds }).notNull(),
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
      .on(table.targetId, table.targetTypeCode, table.targetKind, table.id.desc().nullsFirst())
      .where(sql`deleted_at is null`),
    check(
      'notes_target_check',
      sql`target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''`,
    ),
    check('notes_text_check', sql`char_length(text) between 1 and 100000`),
    check('notes_version_check', sql`version >= 1`),
  ],
)

/**
 * One row for each note and user that it has ever mentioned, if the user could read the object at that time. `isCurrent` is
 * false if the last edit removed the mention, or if the user could not read the object at that time.
 */
export const mentions = notesSchema.table(
  'mentions',
  {
    noteId: uuid('note_id').notNull(),
    userId: uuid('user_id').notNull(),
    mentionedAt: instant('mentioned_at').notNull().default(sql`statement_timestamp()`),
    isCurrent: boolean('is_current').notNull().default(true),
  },
  (table) => [primaryKey({ name: 'mentions_pkey', columns: [table.noteId, table.userId] })],
)
