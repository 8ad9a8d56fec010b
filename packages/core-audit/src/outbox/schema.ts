import {
  bigint,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { coreAudit } from '../database/schema.ts'
import { users } from '../identity/schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })
const bigNumber = (name: string) => bigint(name, { mode: 'bigint' })

/** What happened, for other packages to act on. Immutable; pruned when every delivery of it is finished. */
export const outboxEvents = coreAudit.table(
  'outbox_events',
  {
    id: uuid().primaryKey(),
    position: bigNumber('position').notNull().generatedAlwaysAsIdentity(),
    type: text().notNull(),
    source: text().notNull(),
    subject: text().notNull(),
    time: instant('time').notNull().default(sql`clock_timestamp()`),
    actorUserId: uuid('actor_user_id').references(() => users.id),
    correlationId: text('correlation_id'),
    causationId: text('causation_id'),
    schemaVersion: integer('schema_version').notNull(),
    data: jsonb().notNull(),
  },
  (table) => [unique('outbox_events_position_key').on(table.position)],
)

/** Who gets a delivery of every event. Filled by `core_audit.register_outbox_consumer`. */
export const outboxConsumers = coreAudit.table('outbox_consumers', {
  name: text().primaryKey(),
  registeredAt: instant('registered_at').notNull().default(sql`clock_timestamp()`),
})

/** What one consumer has to do with one event. */
export const outboxDeliveries = coreAudit.table(
  'outbox_deliveries',
  {
    eventId: uuid('event_id')
      .notNull()
      .references(() => outboxEvents.id),
    consumer: text().notNull(),
    subject: text().notNull(),
    position: bigNumber('position').notNull(),
    state: text().notNull().default('pending'),
    stateSince: instant('state_since').notNull().default(sql`clock_timestamp()`),
    attempts: integer().notNull().default(0),
    availableAt: instant('available_at').notNull().default(sql`clock_timestamp()`),
    claimedAt: instant('claimed_at'),
    leaseToken: uuid('lease_token'),
    leaseUntil: instant('lease_until'),
  },
  (table) => [
    primaryKey({ name: 'outbox_deliveries_pkey', columns: [table.eventId, table.consumer] }),
    index('outbox_deliveries_unfinished')
      .on(table.consumer, table.subject, table.position)
      .where(sql`state in ('pending', 'dead')`),
    index('outbox_deliveries_dead').on(table.stateSince, table.eventId).where(sql`state = 'dead'`),
  ],
)

/** What became of each attempt at a delivery. Append-only; pruned with its event. */
export const outboxAttempts = coreAudit.table(
  'outbox_attempts',
  {
    id: bigNumber('id').primaryKey().generatedAlwaysAsIdentity(),
    eventId: uuid('event_id').notNull(),
    consumer: text().notNull(),
    attempt: integer().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull().default(sql`clock_timestamp()`),
    outcome: text().notNull(),
    error: jsonb(),
  },
  (table) => [
    foreignKey({
      name: 'outbox_attempts_delivery_fkey',
      columns: [table.eventId, table.consumer],
      foreignColumns: [outboxDeliveries.eventId, outboxDeliveries.consumer],
    }),
    index('outbox_attempts_by_delivery').on(table.eventId, table.consumer),
  ],
)
