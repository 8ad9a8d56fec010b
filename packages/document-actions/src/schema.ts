import {
  customType,
  index,
  integer,
  jsonb,
  pgSchema,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'

/** The package's own PostgreSQL schema. */
export const documentActionsSchema = pgSchema('document_actions')

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })
const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Documents of verticals that have no tables of their own. */
export const documents = documentActionsSchema.table(
  'documents',
  {
    id: uuid().primaryKey(),
    typeCode: text('type_code').notNull(),
    number: text().notNull(),
    display: text().notNull(),
    status: text().notNull().default('Draft'),
    version: integer().notNull().default(1),
    payload: jsonb().notNull().default({ fields: {} }),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    unique('documents_number_key').on(table.typeCode, table.number),
    index('documents_by_type').on(table.typeCode, table.id.desc()),
  ],
)

/** What was derived from what. */
export const derivations = documentActionsSchema.table(
  'derivations',
  {
    executionId: uuid('execution_id').primaryKey(),
    actionCode: text('action_code').notNull(),
    sourceTypeCode: text('source_type_code').notNull(),
    sourceId: uuid('source_id').notNull(),
    createdTypeCode: text('created_type_code').notNull(),
    createdId: uuid('created_id').notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    unique('derivations_created_key').on(table.createdId, table.createdTypeCode),
    index('derivations_by_source').on(table.sourceId, table.sourceTypeCode),
  ],
)

/** Completed executions, by actor and key. */
export const executions = documentActionsSchema.table(
  'executions',
  {
    id: uuid().primaryKey(),
    actorUserId: uuid('actor_user_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    fingerprint: bytes().notNull(),
    documentType: text('document_type').notNull(),
    documentId: uuid('document_id').notNull(),
    actionCode: text('action_code').notNull(),
    result: text().notNull(),
    completedAt: instant('completed_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    unique('executions_actor_key').on(table.actorUserId, table.idempotencyKey),
    index('executions_by_completion').on(table.completedAt),
  ],
)
