// Applications must not use these tables: they contain secrets, and any release may change them.

import { sql } from '@vertical-kit/core-audit'
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSchema,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'

/** The package's own PostgreSQL schema. */
export const webhooksSchema = pgSchema('webhooks')

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** One row for each endpoint of another system. */
export const endpoints = webhooksSchema.table(
  'endpoints',
  {
    id: uuid().primaryKey(),
    url: text().notNull(),
    eventTypes: text('event_types').array().notNull(),
    isActive: boolean('is_active').notNull().default(true),
    secret: text().notNull(),
    previousSecret: text('previous_secret'),
    previousUntil: instant('previous_until'),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  },
  () => [
    check('endpoints_url_check', sql`url ~ '^https?://'`),
    check('endpoints_secret_check', sql`secret like 'whsec\\_%'`),
    check('endpoints_previous_check', sql`(previous_secret is null) = (previous_until is null)`),
  ],
)

/** One row for each event and endpoint, until its retention ends. */
export const deliveries = webhooksSchema.table(
  'deliveries',
  {
    id: uuid().primaryKey(),
    endpointId: uuid('endpoint_id')
      .notNull()
      .references(() => endpoints.id),
    eventId: uuid('event_id').notNull(),
    eventType: text('event_type').notNull(),
    body: text().notNull(),
    state: text({ enum: ['pending', 'sent', 'skipped', 'dead'] })
      .notNull()
      .default('pending'),
    stateSince: instant('state_since').notNull().default(sql`clock_timestamp()`),
    attempts: integer().notNull().default(0),
    availableAt: instant('available_at').notNull().default(sql`clock_timestamp()`),
    leaseToken: uuid('lease_token'),
    failure: jsonb().$type<Readonly<Record<string, unknown>>>(),
  },
  (table) => [
    unique('deliveries_event_key').on(table.eventId, table.endpointId),
    index('deliveries_by_endpoint')
      .on(sql`(endpoint_id::text)`, table.availableAt)
      .where(sql`state = 'pending'`),
    index('deliveries_ended').on(table.state, table.stateSince).where(sql`state <> 'pending'`),
    check('deliveries_state_check', sql`state in ('pending', 'sent', 'skipped', 'dead')`),
    check('deliveries_attempts_check', sql`attempts >= 0`),
  ],
)
