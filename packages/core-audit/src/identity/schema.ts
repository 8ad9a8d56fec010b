import { boolean, index, primaryKey, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
import { coreAudit } from '../database/schema.ts'

const instant = (name: string) =>
  timestamp(name, { withTimezone: true, mode: 'string' }).notNull().default(sql`clock_timestamp()`)

/** People the identity provider vouched for who have changed something here, or were given a role. */
export const users = coreAudit.table(
  'users',
  {
    id: uuid().primaryKey(),
    subject: text().notNull(),
    email: text(),
    displayName: text('display_name').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: instant('created_at'),
    updatedAt: instant('updated_at'),
  },
  (table) => [unique('users_subject_key').on(table.subject)],
)

/** Named sets of permissions. */
export const roles = coreAudit.table(
  'roles',
  {
    id: uuid().primaryKey(),
    code: text().notNull(),
    name: text().notNull(),
    description: text().notNull().default(''),
    permissions: text().array().notNull().default([]),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: instant('created_at'),
    updatedAt: instant('updated_at'),
  },
  (table) => [unique('roles_code_key').on(table.code)],
)

/** Who has which role. */
export const userRoles = coreAudit.table(
  'user_roles',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    roleId: uuid('role_id')
      .notNull()
      .references(() => roles.id),
  },
  (table) => [
    primaryKey({ name: 'user_roles_pkey', columns: [table.userId, table.roleId] }),
    index('user_roles_by_role').on(table.roleId),
  ],
)
