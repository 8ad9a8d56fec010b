import { boolean, check, index, primaryKey, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core'
import { coreAudit } from '../database/schema.ts'
import { sql } from '../database/sql.ts'

const instant = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, mode: 'string' }).notNull().default(sql`clock_timestamp()`)

/** One row for each user. An invitation or the first successful request creates the row. */
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
    /** Whether a person has invited the user, or changed the roles or activity. A seed then assigns no roles. */
    isChangedByPerson: boolean('is_changed_by_person').notNull().default(false),
  },
  (table) => [
    unique('users_subject_key').on(table.subject),
    check('users_subject_check', sql`subject <> ''`),
  ],
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
    /** Whether a person has created or changed the role. A seed then leaves it unchanged. */
    isChangedByPerson: boolean('is_changed_by_person').notNull().default(false),
    /** False if a user without full access has chosen the code. Then it must not become the code of an administrator role. */
    isCodeTrusted: boolean('is_code_trusted').notNull().default(true),
    /** The code of the role in seeds; stays when a person changes the code. Null for a role that no seed has named. */
    seedCode: text('seed_code'),
  },
  (table) => [
    unique('roles_code_key').on(table.code),
    unique('roles_seed_code_key').on(table.seedCode),
    check('roles_code_check', sql`code ~ '^[a-z0-9]+([._-][a-z0-9]+)*$' and length(code) <= 100`),
    check('roles_name_check', sql`name <> '' and length(name) <= 200`),
    check('roles_description_check', sql`length(description) <= 2000`),
  ],
)

/** One row for each user and role. */
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

/** The names of all users, for display next to their changes. */
export const userNames = coreAudit
  .view('user_names', { id: uuid().notNull(), displayName: text('display_name').notNull() })
  .existing()

/** The addresses of active users, for mail. The address is the one of the user's last token, and can be null. */
export const userAddresses = coreAudit
  .view('user_addresses', {
    id: uuid().notNull(),
    displayName: text('display_name').notNull(),
    email: text(),
  })
  .existing()

/** The codes and names of all roles, active or not. */
export const roleNames = coreAudit
  .view('role_names', {
    id: uuid().notNull(),
    code: text().notNull(),
    name: text().notNull(),
    isActive: boolean('is_active').notNull(),
  })
  .existing()

/** Every user with the subject at the identity provider, and whether the user is active. */
export const userAccounts = coreAudit
  .view('user_accounts', {
    id: uuid().notNull(),
    subject: text().notNull(),
    isActive: boolean('is_active').notNull(),
  })
  .existing()

/** Active users with their active roles: one row for each pair. */
export const activeRoleMembers = coreAudit
  .view('active_role_members', {
    userId: uuid('user_id').notNull(),
    roleId: uuid('role_id').notNull(),
    roleCode: text('role_code').notNull(),
    permissions: text().array().notNull(),
  })
  .existing()

/** Every user with every assigned role, active or not: one row for each pair. */
export const roleAssignments = coreAudit
  .view('role_assignments', { userId: uuid('user_id').notNull(), roleId: uuid('role_id').notNull() })
  .existing()
