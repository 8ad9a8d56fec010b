// Applications must not use these tables: they may change with any release.

import { sql } from '@vertical-kit/core-audit'
import { check, customType, index, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core'
import { documentActionsSchema } from './schema.ts'

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })
const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Links between documents and the documents derived from them. Applications read the view `derived_documents`. */
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
    check(
      'derivations_names_check',
      sql`action_code <> '' and source_type_code <> '' and created_type_code <> ''`,
    ),
  ],
)

/** Completed executions with their answers. The actor and the key identify a row. */
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
    check(
      'executions_idempotency_key_check',
      sql`length(idempotency_key) between 1 and 200 and idempotency_key !~ '[^!-~]'`,
    ),
    check('executions_fingerprint_check', sql`octet_length(fingerprint) = 32`),
    check('executions_names_check', sql`document_type <> '' and action_code <> ''`),
  ],
)
