import type { Caller } from '@vertical-kit/core-audit/access'
import { type SQL, sql } from 'drizzle-orm/sql'

/** Whoever looks at their Work Center, with their rights as of this request. */
export interface Viewer {
  readonly userId: string
  /** The active ones. */
  readonly roleIds: readonly string[]
  /** `null`: everything. */
  readonly viewPermissions: readonly string[] | null
}

/** A caller as a viewer; `null` for one without a user record, who has no items. */
export function viewerOf(caller: Caller): Viewer | null {
  if (caller.userId === null) return null
  const viewable = [...caller.permissions].filter((permission) => permission.endsWith('.view'))
  return {
    userId: caller.userId,
    roleIds: caller.roles.map(({ id }) => id),
    viewPermissions: caller.isAdministrator ? null : viewable,
  }
}

/**
 * The condition that an entry, as `e`, is one the viewer has received: theirs, of a role they still have, about a source
 * they may view.
 */
export function isReceivedBy({ userId, roleIds, viewPermissions }: Viewer): SQL {
  const ofRole = sql`(e.role_id is null or e.role_id = any(${sql.param(roleIds)}::uuid[]))`
  const viewable =
    viewPermissions === null ? sql`true` : sql`e.view_permission = any(${sql.param(viewPermissions)}::text[])`
  return sql`e.user_id = ${userId}::uuid and ${ofRole} and ${viewable}`
}

/** The condition that the viewer sees it: received, and not claimed by somebody else. Counts and pages ask it alike. */
export const isSeenBy = (viewer: Viewer): SQL => sql`${isReceivedBy(viewer)} and e.is_visible`

/**
 * What belongs to each tab, of entries as `e`, now. Served by `entries_attention`, `entries_open` and
 * `entries_completed`.
 *
 * The sub-select keeps PostgreSQL from proving that a page of tasks could be read from `entries_attention`: it would then
 * read past all unread notifications that are newer.
 */
export const tabConditions = {
  attention: sql`
    e.is_open and (e.kind = 'Task' or e.read_at is null)
    and (e.snoozed_until is null or e.snoozed_until <= statement_timestamp())
    and (e.expires_at is null or e.expires_at > statement_timestamp())`,
  tasks: sql`e.is_open and e.kind = (select 'Task')`,
  notifications: sql`e.is_open and e.kind = 'Notification' and e.expires_at > statement_timestamp()`,
  completed: sql`not e.is_open and e.kind = 'Task'`,
} as const

/** An open task past its due date. */
export const isOverdue: SQL = sql`
  coalesce(e.is_open and e.kind = 'Task' and e.due_at < statement_timestamp(), false)`
