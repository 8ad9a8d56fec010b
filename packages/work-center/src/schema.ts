import { sql } from '@vertical-kit/core-audit'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import {
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { channels, type ItemText, priorities, severities, taskStatuses } from './contract.ts'

/** The package's own PostgreSQL schema. */
export const workCenterSchema = pgSchema('work_center')

const instant = <Name extends string>(name: Name) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The columns that identify the business object of an item. */
const source = {
  resourceKind: text('resource_kind').notNull(),
  resourceCode: text('resource_code').notNull(),
  entityId: uuid('entity_id').notNull(),
  sourceTitle: text('source_title').notNull(),
  sourceSubtitle: text('source_subtitle'),
}

/** The texts of an item for clients that translate it. */
const texts = {
  titleText: jsonb('title_text').$type<ItemText>(),
  descriptionText: jsonb('description_text').$type<ItemText>(),
}

const hasNames = sql`
  code <> '' and deduplication_key <> '' and title <> '' and resource_kind <> '' and resource_code <> ''`

/** One row for each task. Closed tasks are stored until their retention ends. */
export const tasks = workCenterSchema.table(
  'tasks',
  {
    id: uuid().primaryKey(),
    code: text().notNull(),
    deduplicationKey: text('deduplication_key').notNull(),
    title: text().notNull(),
    description: text().notNull().default(''),
    ...source,
    priority: text({ enum: priorities }).notNull().default('Normal'),
    /** The instant from which the task is overdue. */
    dueAt: instant('due_at'),
    /** The due day of a task that is due on a day. It ends last in UTC−12, at `due_at`. */
    dueOn: date('due_on', { mode: 'string' }),
    status: text({ enum: taskStatuses }).notNull().default('Open'),
    assignedUserId: uuid('assigned_user_id'),
    assignedRoleId: uuid('assigned_role_id'),
    claimedByUserId: uuid('claimed_by_user_id'),
    claimedAt: instant('claimed_at'),
    claimRoleId: uuid('claim_role_id'),
    primaryActionCode: text('primary_action_code'),
    target: jsonb().$type<NavigationTarget>(),
    ...texts,
    version: integer().notNull().default(1),
    sortAt: instant('sort_at').notNull().default(sql`clock_timestamp()`),
    closedAt: instant('closed_at'),
    /** The times of the next reminder and of the escalation. Null without one, and after it was sent. */
    remindsAt: instant('reminds_at'),
    escalatesAt: instant('escalates_at'),
  },
  (table) => [
    unique('tasks_deduplication_key').on(table.code, table.deduplicationKey),
    index('tasks_closed').on(table.closedAt).where(sql`closed_at is not null`),
    index('tasks_by_source').on(table.entityId, table.resourceCode, table.id),
    index('tasks_claimed')
      .on(table.claimedByUserId)
      .where(sql`claimed_by_user_id is not null and closed_at is null`),
    index('tasks_assigned')
      .on(table.assignedUserId)
      .where(sql`assigned_user_id is not null and closed_at is null`),
    index('tasks_unclaimed')
      .on(table.assignedRoleId)
      .where(sql`closed_at is null and claimed_by_user_id is null and assigned_role_id is not null`),
    index('tasks_notices')
      .on(sql`least(reminds_at, escalates_at)`)
      .where(sql`closed_at is null and (reminds_at is not null or escalates_at is not null)`),
    index('tasks_open_by_due')
      .on(
        sql`coalesce(due_at, 'infinity'::timestamptz)`,
        table.sortAt.desc().nullsFirst(),
        table.id.desc().nullsFirst(),
      )
      .where(sql`closed_at is null`),
    index('tasks_open_by_time')
      .on(table.sortAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`closed_at is null`),
    index('tasks_open_by_priority')
      .on(
        sql`array_position(array['Low', 'Normal', 'High', 'Critical'], priority) desc`,
        table.sortAt.desc().nullsFirst(),
        table.id.desc().nullsFirst(),
      )
      .where(sql`closed_at is null`),
    check('tasks_names_check', hasNames),
    check('tasks_priority_check', sql`priority in ('Low', 'Normal', 'High', 'Critical')`),
    check('tasks_status_check', sql`status in ('Open', 'InProgress', 'Completed', 'Cancelled')`),
    check('tasks_assignment_check', sql`(assigned_user_id is null) <> (assigned_role_id is null)`),
    check('tasks_claim_check', sql`claimed_by_user_id is null or assigned_role_id is not null`),
    check('tasks_closed_check', sql`(closed_at is not null) = (status in ('Completed', 'Cancelled'))`),
    check('tasks_target_check', sql`jsonb_typeof(target) = 'object'`),
    check('tasks_version_check', sql`version >= 1`),
  ],
)

/** One row for each notification. Notifications are stored until they expire. */
export const notifications = workCenterSchema.table(
  'notifications',
  {
    id: uuid().primaryKey(),
    code: text().notNull(),
    deduplicationKey: text('deduplication_key').notNull(),
    title: text().notNull(),
    description: text().notNull().default(''),
    ...source,
    severity: text({ enum: severities }).notNull(),
    target: jsonb().$type<NavigationTarget>(),
    ...texts,
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    unique('notifications_deduplication_key').on(table.code, table.deduplicationKey),
    index('notifications_by_expiry').on(table.expiresAt),
    check('notifications_names_check', hasNames),
    check('notifications_severity_check', sql`severity in ('Information', 'Success', 'Warning', 'Critical')`),
    check('notifications_target_check', sql`jsonb_typeof(target) = 'object'`),
  ],
)

/** One row for each choice of a user to switch a definition on or off for a channel. */
export const preferences = workCenterSchema.table(
  'preferences',
  {
    userId: uuid('user_id').notNull(),
    code: text().notNull(),
    channel: text({ enum: channels }).notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.code, table.channel] }),
    check('preferences_code_check', sql`code <> ''`),
    check('preferences_channel_check', sql`channel in ('InApp', 'Email')`),
  ],
)
