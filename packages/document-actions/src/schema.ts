import { sql } from '@vertical-kit/core-audit'
import { check, index, integer, jsonb, pgSchema, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core'
import { documentStatuses } from './contract.ts'
import type { Fields } from './documents/document-store.ts'

/** The PostgreSQL schema of this package. */
export const documentActionsSchema = pgSchema('document_actions')

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The documents of verticals without their own document tables. */
export const documents = documentActionsSchema.table(
  'documents',
  {
    id: uuid().primaryKey(),
    typeCode: text('type_code').notNull(),
    number: text().notNull(),
    display: text().notNull(),
    status: text({ enum: documentStatuses }).notNull().default('Draft'),
    version: integer().notNull().default(1),
    payload: jsonb().$type<{ readonly fields: Fields }>().notNull().default({ fields: {} }),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    unique('documents_number_key').on(table.typeCode, table.number),
    index('documents_by_type').on(table.typeCode, table.id.desc().nullsFirst()),
    check('documents_type_code_check', sql`type_code <> ''`),
    check('documents_number_check', sql`number <> ''`),
    check('documents_status_check', sql`status in ('Draft', 'Posted', 'MarkedForDeletion')`),
    check('documents_version_check', sql`version >= 1`),
    check('documents_payload_check', sql`coalesce(jsonb_typeof(payload -> 'fields') = 'object', false)`),
  ],
)

/** One row per derived document, with its source. */
export const derivedDocuments = documentActionsSchema
  .view('derived_documents', {
    actionCode: text('action_code').notNull(),
    sourceTypeCode: text('source_type_code').notNull(),
    sourceId: uuid('source_id').notNull(),
    createdTypeCode: text('created_type_code').notNull(),
    createdId: uuid('created_id').notNull(),
    createdAt: instant('created_at').notNull(),
  })
  .existing()
