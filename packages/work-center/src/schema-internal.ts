// Applications must not use these tables: any release may change them.

import { sql } from '@vertical-kit/core-audit'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { itemKinds, mailDeliveries, priorities, severities } from './contract.ts'
import { workCenterSchema } from './schema.ts'

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The 64-bit id of a transaction. */
const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/** One row for each item and recipient. */
export const entries = workCenterSchema.table(
  'entries',
  {
    userId: uuid('user_id').notNull(),
    itemId: uuid('item_id').notNull(),
    kind: text({ enum: itemKinds }).notNull(),
    roleId: uuid('role_id'),
    viewPermission: text('view_permission').notNull(),
    resourceCode: text('resource_code').notNull(),
    priority: text({ enum: priorities }),
    severity: text({ enum: severities }),
    dueAt: instant('due_at'),
    expiresAt: instant('expires_at'),
    isOpen: boolean('is_open').notNull().default(true),
    isVisible: boolean('is_visible').notNull().default(true),
    readAt: instant('read_at'),
    snoozedUntil: instant('snoozed_until'),
    sortAt: instant('sort_at').notNull(),
    changesAt: instant('changes_at'),
    arrivedIn: transactionId('arrived_in').default(sql`pg_current_xact_id()`),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.itemId] }),
    index('entries_attention')
      .on(table.userId, table.sortAt.desc().nullsFirst(), table.itemId.desc().nullsFirst())
      .where(sql`is_open and is_visible and (kind = 'Task' or read_at is null)`),
    // Drizzle cannot declare INCLUDE. Only the migration declares the additional columns that the counts read.
    index('entries_open_by_kind')
      .on(table.userId, table.kind, table.sortAt.desc().nullsFirst(), table.itemId.desc().nullsFirst())
      .where(sql`is_open and is_visible`),
    index('entries_completed')
      .on(table.userId, table.sortAt.desc().nullsFirst(), table.itemId.desc().nullsFirst())
      .where(sql`kind = 'Task' and not is_open and is_visible`),
    index('entries_by_due_date')
      .on(
        table.userId,
        table.isOpen,
        sql`coalesce(-extract(epoch from due_at at time zone 'UTC'), '-Infinity') desc`,
        table.sortAt.desc().nullsFirst(),
        table.itemId.desc().nullsFirst(),
        table.kind,
      )
      .where(sql`is_visible and (kind = 'Task' or read_at is null)`),
    index('entries_by_priority')
      .on(
        table.userId,
        table.isOpen,
        sql`(case priority
          when 'Critical' then 4 when 'High' then 3 when 'Normal' then 2 when 'Low' then 1 else 0
        end) desc`,
        table.sortAt.desc().nullsFirst(),
        table.itemId.desc().nullsFirst(),
        table.kind,
      )
      .where(sql`is_visible and (kind = 'Task' or read_at is null)`),
    index('entries_by_item').on(table.itemId),
    index('entries_by_change').on(table.changesAt).where(sql`changes_at is not null`),
    check(
      'entries_kind_check',
      sql`(kind = 'Task' and priority is not null and severity is null and expires_at is null)
        or (
          kind = 'Notification' and severity is not null and expires_at is not null
          and priority is null and due_at is null and snoozed_until is null and role_id is null
        )`,
    ),
    check('entries_names_check', sql`view_permission <> '' and resource_code <> ''`),
  ],
)

/** The version of each user. It grows with every change that the user sees. */
export const userVersions = workCenterSchema.table(
  'user_versions',
  {
    userId: uuid('user_id').primaryKey(),
    version: bigint({ mode: 'number' }).notNull(),
  },
  () => [check('user_versions_version_check', sql`version >= 1`)],
)

/** The columns that identify a followed object. */
const target = {
  targetKind: text('target_kind').notNull(),
  targetTypeCode: text('target_type_code').notNull(),
  targetId: uuid('target_id').notNull(),
}

/** One row for each user and object that they follow. */
export const watches = workCenterSchema.table(
  'watches',
  {
    userId: uuid('user_id').notNull(),
    ...target,
    watchedAt: instant('watched_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.targetId, table.targetTypeCode, table.targetKind, table.userId] }),
    index('watches_by_time').on(table.watchedAt),
    check(
      'watches_target_check',
      sql`target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''`,
    ),
  ],
)

/** The start of the last notification of a follower about an actor's work on an object. */
export const watchWindows = workCenterSchema.table(
  'watch_windows',
  {
    userId: uuid('user_id').notNull(),
    ...target,
    actorUserId: uuid('actor_user_id').notNull(),
    startedAt: instant('started_at').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.targetId, table.targetTypeCode, table.targetKind, table.actorUserId, table.userId],
    }),
    index('watch_windows_by_start').on(table.startedAt),
  ],
)

/** One row: the last event of the audit log whose followers were notified. */
export const watchPosition = workCenterSchema.table(
  'watch_position',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    lastEventId: uuid('last_event_id').notNull(),
  },
  () => [check('watch_position_only_check', sql`is_only`)],
)

/** One row for each user that has chosen how to receive mail. */
export const mailSettings = workCenterSchema.table(
  'mail_settings',
  {
    userId: uuid('user_id').primaryKey(),
    delivery: text({ enum: mailDeliveries }).notNull(),
    timeZone: text('time_zone').notNull(),
    dailyHour: integer('daily_hour').notNull(),
  },
  () => [
    check('mail_settings_delivery_check', sql`delivery in ('Immediately', 'Daily')`),
    check('mail_settings_time_zone_check', sql`time_zone <> ''`),
    check('mail_settings_daily_hour_check', sql`daily_hour between 0 and 23`),
  ],
)

/** One row for each item and recipient that waits for its mail. */
export const mailRequests = workCenterSchema.table(
  'mail_requests',
  {
    userId: uuid('user_id').notNull(),
    itemId: uuid('item_id').notNull(),
    dueAt: instant('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.itemId] }),
    index('mail_requests_due').on(table.dueAt),
  ],
)

/** One row for each mail to one user, until its retention ends. */
export const mails = workCenterSchema.table(
  'mails',
  {
    id: uuid().primaryKey(),
    userId: uuid('user_id').notNull(),
    itemIds: uuid('item_ids').array().notNull(),
    isDigest: boolean('is_digest').notNull(),
    state: text({ enum: ['pending', 'sent', 'skipped', 'dead'] })
      .notNull()
      .default('pending'),
    stateSince: instant('state_since').notNull().default(sql`clock_timestamp()`),
    attempts: integer().notNull().default(0),
    availableAt: instant('available_at').notNull().default(sql`clock_timestamp()`),
    leaseToken: uuid('lease_token'),
    failure: jsonb(),
  },
  (table) => [
    index('mails_pending').on(table.availableAt).where(sql`state = 'pending'`),
    index('mails_ended').on(table.state, table.stateSince).where(sql`state <> 'pending'`),
    check('mails_state_check', sql`state in ('pending', 'sent', 'skipped', 'dead')`),
    check('mails_attempts_check', sql`attempts >= 0`),
  ],
)

/** One row for each user with a substitute. The clock deletes a row after the end of its period. */
export const substitutions = workCenterSchema.table(
  'substitutions',
  {
    userId: uuid('user_id').primaryKey(),
    substituteUserId: uuid('substitute_user_id').notNull(),
    fromAt: instant('from_at').notNull(),
    untilAt: instant('until_at').notNull(),
    changesAt: instant('changes_at').notNull(),
  },
  (table) => [
    index('substitutions_by_substitute').on(table.substituteUserId),
    index('substitutions_by_change').on(table.changesAt),
    check('substitutions_user_check', sql`user_id <> substitute_user_id`),
    check(
      'substitutions_period_check',
      sql`from_at < until_at and until_at <= from_at + interval '4320 hours'`,
    ),
  ],
)
