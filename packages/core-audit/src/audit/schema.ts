import { check, index, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { coreAudit } from '../database/schema.ts'
import { sql } from '../database/sql.ts'
import type { FieldChange } from './commands/record-audit.ts'

/**
 * One row per audit event. Append-only: the database rejects every UPDATE, DELETE and TRUNCATE. Partitioned by id, one
 * partition per year.
 */
export const auditEvents = coreAudit.table(
  'audit_events',
  {
    /** A UUIDv7 with the time of the insert by the server's clock. */
    id: uuid().primaryKey().default(sql`core_audit.event_id()`),
    targetId: uuid('target_id').notNull(),
    /** This is not a foreign key, because an application can store its users in its own tables. */
    actorUserId: uuid('actor_user_id'),
    occurredAt: timestamp('occurred_at', { withTimezone: true, mode: 'string' })
      .notNull()
      .default(sql`clock_timestamp()`),
    module: text().notNull(),
    targetKind: text('target_kind').notNull(),
    targetTypeCode: text('target_type_code').notNull(),
    actionCode: text('action_code').notNull(),
    correlationId: text('correlation_id'),
    metadata: jsonb().$type<Record<string, unknown>>(),
    changes: jsonb().$type<FieldChange[]>().notNull().default([]),
  },
  (table) => [
    index('audit_events_by_target').on(table.targetId, table.id),
    index('audit_events_by_actor').on(table.actorUserId, table.id),
    index('audit_events_by_action').on(table.actionCode, table.id),
    index('audit_events_by_type').on(table.targetTypeCode, table.id),
    check(
      'audit_events_names_check',
      sql`module <> '' and target_kind <> '' and target_type_code <> '' and action_code <> ''`,
    ),
    check('audit_events_changes_check', sql`jsonb_typeof(changes) = 'array'`),
    check('audit_events_metadata_check', sql`jsonb_typeof(metadata) = 'object'`),
  ],
)
