import {
  bigint,
  boolean,
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
import { sql } from 'drizzle-orm/sql'

/** The package's own PostgreSQL schema. */
export const workCenterSchema = pgSchema('work_center')

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' })

/** The business object an item is about. */
const source = {
  resourceKind: text('resource_kind').notNull(),
  resourceCode: text('resource_code').notNull(),
  entityId: uuid('entity_id').notNull(),
  sourceTitle: text('source_title').notNull(),
  sourceSubtitle: text('source_subtitle'),
}

/** Tasks, closed ones included. */
export const tasks = workCenterSchema.table(
  'tasks',
  {
    id: uuid().primaryKey(),
    code: text().notNull(),
    deduplicationKey: text('deduplication_key').notNull(),
    title: text().notNull(),
    description: text().notNull().default(''),
    ...source,
    priority: text().notNull().default('Normal'),
    dueAt: instant('due_at'),
    status: text().notNull().default('Open'),
    assignedUserId: uuid('assigned_user_id'),
    assignedRoleId: uuid('assigned_role_id'),
    claimedByUserId: uuid('claimed_by_user_id'),
    primaryActionCode: text('primary_action_code'),
    target: jsonb(),
    version: integer().notNull().default(1),
    sortAt: instant('sort_at').notNull().default(sql`clock_timestamp()`),
    closedAt: instant('closed_at'),
  },
  (table) => [
    unique('tasks_deduplication_key').on(table.code, table.deduplicationKey),
    index('tasks_closed').on(table.closedAt).where(sql`closed_at is not null`),
    index('tasks_claimed')
      .on(table.claimedByUserId)
      .where(sql`claimed_by_user_id is not null and closed_at is null`),
  ],
)

/** Notifications. */
export const notifications = workCenterSchema.table(
  'notifications',
  {
    id: uuid().primaryKey(),
    code: text().notNull(),
    deduplicationKey: text('deduplication_key').notNull(),
    title: text().notNull(),
    description: text().notNull().default(''),
    ...source,
    severity: text().notNull(),
    target: jsonb(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    unique('notifications_deduplication_key').on(table.code, table.deduplicationKey),
    index('notifications_by_expiry').on(table.expiresAt),
  ],
)

/** What each recipient has of each item. */
export const entries = workCenterSchema.table(
  'entries',
  {
    userId: uuid('user_id').notNull(),
    itemId: uuid('item_id').notNull(),
    kind: text().notNull(),
    roleId: uuid('role_id'),
    viewPermission: text('view_permission').notNull(),
    resourceCode: text('resource_code').notNull(),
    priority: text(),
    severity: text(),
    dueAt: instant('due_at'),
    expiresAt: instant('expires_at'),
    isOpen: boolean('is_open').notNull().default(true),
    isVisible: boolean('is_visible').notNull().default(true),
    readAt: instant('read_at'),
    snoozedUntil: instant('snoozed_until'),
    sortAt: instant('sort_at').notNull(),
    changesAt: instant('changes_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.itemId] }),
    index('entries_attention')
      .on(table.userId, table.sortAt.desc(), table.itemId.desc())
      .where(sql`is_open and is_visible and (kind = 'Task' or read_at is null)`),
    // Includes what counts ask for, which this has no word for: see the migration.
    index('entries_open')
      .on(table.userId, table.kind, table.sortAt.desc(), table.itemId.desc())
      .where(sql`is_open and is_visible`),
    index('entries_completed')
      .on(table.userId, table.sortAt.desc(), table.itemId.desc())
      .where(sql`kind = 'Task' and not is_open and is_visible`),
    index('entries_by_item').on(table.itemId),
    index('entries_by_change').on(table.changesAt).where(sql`changes_at is not null`),
  ],
)

/** One number a user. */
export const userVersions = workCenterSchema.table('user_versions', {
  userId: uuid('user_id').primaryKey(),
  version: bigint({ mode: 'number' }).notNull(),
})

/** What users chose. */
export const preferences = workCenterSchema.table(
  'preferences',
  {
    userId: uuid('user_id').notNull(),
    code: text().notNull(),
    channel: text().notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [primaryKey({ columns: [table.userId, table.code, table.channel] })],
)
