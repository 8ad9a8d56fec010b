import { bigint, check, customType, integer, timestamp, uuid } from 'drizzle-orm/pg-core'
import { coreAudit } from '../../database/schema.ts'
import { sql } from '../../database/sql.ts'

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** The seals of the audit events, in order. Append-only: the database rejects every UPDATE, DELETE and TRUNCATE. */
export const auditSeals = coreAudit.table(
  'audit_seals',
  {
    sequence: bigint({ mode: 'number' }).primaryKey(),
    firstEventId: uuid('first_event_id').notNull(),
    lastEventId: uuid('last_event_id').notNull(),
    eventCount: integer('event_count').notNull(),
    eventsHash: bytea('events_hash').notNull(),
    eventMarks: bytea('event_marks').notNull(),
    sealedAt: timestamp('sealed_at', { withTimezone: true, mode: 'string' }).notNull(),
    hash: bytea().notNull(),
  },
  () => [
    check('audit_seals_sequence_check', sql`sequence > 0`),
    check(
      'audit_seals_events_check',
      sql`first_event_id <= last_event_id and event_count > 0 and octet_length(event_marks) = 12 * event_count`,
    ),
    check('audit_seals_hashes_check', sql`octet_length(events_hash) = 32 and octet_length(hash) = 32`),
  ],
)
