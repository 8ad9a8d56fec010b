import {
  bigint,
  boolean,
  check,
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
import { coreAudit } from '../database/schema.ts'
import { sql } from '../database/sql.ts'

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })
const bigNumber = <Name extends string>(name: Name) => bigint(name, { mode: 'bigint' })
const json = <Name extends string>(name: Name) => jsonb(name).$type<Readonly<Record<string, unknown>>>()

/** Events for other packages. A row is immutable, and can be deleted when all deliveries of its event are finished. */
export const outboxEvents = coreAudit.table(
  'outbox_events',
  {
    id: uuid().primaryKey(),
    position: bigNumber('position').notNull().generatedAlwaysAsIdentity(),
    type: text().notNull(),
    source: text().notNull(),
    subject: text().notNull(),
    time: instant('time').notNull().default(sql`clock_timestamp()`),
    /** This is not a foreign key, because an application can keep its users in its own tables. */
    actorUserId: uuid('actor_user_id'),
    correlationId: text('correlation_id'),
    causationId: text('causation_id'),
    schemaVersion: integer('schema_version').notNull(),
    data: json('data').notNull(),
    /** The W3C trace context of the span that appended the event; null without tracing. */
    traceparent: text(),
  },
  (table) => [
    unique('outbox_events_position_key').on(table.position),
    check('outbox_events_names_check', sql`type <> '' and source <> '' and subject <> ''`),
    check('outbox_events_schema_version_check', sql`schema_version > 0`),
    check('outbox_events_data_check', sql`jsonb_typeof(data) = 'object'`),
  ],
)

/** The consumers that receive every event. `core_audit.register_outbox_consumer` adds the rows. */
export const outboxConsumers = coreAudit.table(
  'outbox_consumers',
  {
    name: text().primaryKey(),
    registeredAt: instant('registered_at').notNull().default(sql`clock_timestamp()`),
  },
  () => [
    check('outbox_consumers_name_check', sql`name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(name) <= 100`),
  ],
)

/** One event for one consumer: its state, attempts and lease. */
export const outboxDeliveries = coreAudit.table(
  'outbox_deliveries',
  {
    eventId: uuid('event_id')
      .notNull()
      .references(() => outboxEvents.id),
    consumer: text().notNull(),
    subject: text().notNull(),
    position: bigNumber('position').notNull(),
    state: text({ enum: ['pending', 'completed', 'dead', 'discarded'] })
      .notNull()
      .default('pending'),
    stateSince: instant('state_since').notNull().default(sql`clock_timestamp()`),
    attempts: integer().notNull().default(0),
    availableAt: instant('available_at').notNull().default(sql`clock_timestamp()`),
    claimedAt: instant('claimed_at'),
    leaseToken: uuid('lease_token'),
    leaseUntil: instant('lease_until'),
    /** True: a claim has found it behind a dead letter, and further claims skip it. A decision about the dead letter ends that. */
    isBlocked: boolean('is_blocked').notNull().default(false),
  },
  (table) => [
    primaryKey({ name: 'outbox_deliveries_pkey', columns: [table.eventId, table.consumer] }),
    index('outbox_deliveries_by_subject')
      .on(table.consumer, table.state, table.isBlocked, table.subject, table.position)
      .where(sql`state in ('pending', 'dead')`),
    index('outbox_deliveries_dead').on(table.stateSince, table.eventId).where(sql`state = 'dead'`),
    check('outbox_deliveries_state_check', sql`state in ('pending', 'completed', 'dead', 'discarded')`),
    check('outbox_deliveries_attempts_check', sql`attempts >= 0`),
    check(
      'outbox_deliveries_lease_check',
      sql`(lease_token is null) = (lease_until is null)
        and (lease_token is null or (state = 'pending' and claimed_at is not null))`,
    ),
  ],
)

/** The outcome of each attempt at a delivery. Rows never change and are deleted together with their event. */
export const outboxAttempts = coreAudit.table(
  'outbox_attempts',
  {
    id: bigNumber('id').primaryKey().generatedAlwaysAsIdentity(),
    eventId: uuid('event_id').notNull(),
    consumer: text().notNull(),
    attempt: integer().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull().default(sql`clock_timestamp()`),
    outcome: text({ enum: ['completed', 'failed', 'abandoned'] }).notNull(),
    error: json('error'),
  },
  (table) => [
    foreignKey({
      name: 'outbox_attempts_delivery_fkey',
      columns: [table.eventId, table.consumer],
      foreignColumns: [outboxDeliveries.eventId, outboxDeliveries.consumer],
    }),
    index('outbox_attempts_by_delivery').on(table.eventId, table.consumer),
    check('outbox_attempts_outcome_check', sql`outcome in ('completed', 'failed', 'abandoned')`),
    check('outbox_attempts_error_check', sql`(outcome = 'failed') = (error is not null)`),
  ],
)
