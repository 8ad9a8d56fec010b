import { type SQL, sql } from '@vertical-kit/core-audit'
import { type Caller, type CallerRole, holds } from '@vertical-kit/core-audit/access'
import { supervise } from '../permissions.ts'

/** The reader of a Work Center, with the rights of the current request. */
export interface Viewer {
  readonly userId: string
  /** The user's active assigned roles. */
  readonly roleIds: readonly string[]
  /** The permissions that end with `.view`, or `null` for a user with permission to view everything. */
  readonly viewPermissions: readonly string[] | null
  /** Whether the user can act on the tasks of other users, if they can view the source. */
  readonly isSupervisor: boolean
}

/**
 * Returns the roles that make the caller a recipient. Roles of a token are not stored, so no item can be sent to their
 * members.
 */
export const assignedRoles = ({ roles }: Caller): readonly CallerRole[] =>
  roles.filter(({ source }) => source === 'assigned')

const viewPermissionsOf = (caller: Caller): readonly string[] | null =>
  caller.isAdministrator ? null : [...caller.permissions].filter((permission) => permission.endsWith('.view'))

/** Converts a caller to a viewer. Returns `null` for a caller without a user record, because such a caller has no items. */
export function viewerOf(caller: Caller): Viewer | null {
  if (caller.userId === null) return null
  return {
    userId: caller.userId,
    roleIds: assignedRoles(caller).map(({ id }) => id),
    viewPermissions: viewPermissionsOf(caller),
    isSupervisor: holds(caller, supervise),
  }
}

/** Converts a supervisor to a viewer. A supervisor without a user record has no entries, so the nil UUID stands for their id. */
export const supervisorOf = (caller: Caller): Viewer =>
  viewerOf(caller) ?? {
    userId: '00000000-0000-0000-0000-000000000000',
    roleIds: [],
    viewPermissions: viewPermissionsOf(caller),
    isSupervisor: holds(caller, supervise),
  }

/**
 * Returns the condition that the viewer has received entry `e`: the entry is theirs, they still have its role, and they
 * have permission to view its source.
 */
const isReceivedBy = (viewer: Viewer): SQL =>
  sql`e.user_id = ${viewer.userId}::uuid and ${hasOwnRole(viewer, sql`e`)} and ${isViewable(viewer)}`

/** Returns the condition that the viewer received their own entry without a role, or still has its role. */
export const hasOwnRole = ({ roleIds }: Viewer, entry: SQL): SQL =>
  sql`(${entry}.role_id is null or ${entry}.role_id = any(${sql.param(roleIds)}::uuid[]))`

/** Returns the condition that the viewer has permission to view the source of entry `e`. */
export const isViewable = ({ viewPermissions }: Viewer): SQL =>
  viewPermissions === null ? sql`true` : sql`e.view_permission = any(${sql.param(viewPermissions)}::text[])`

/** Returns whether the viewer can view sources that need this permission. */
export const canView = ({ viewPermissions }: Viewer, viewPermission: string): boolean =>
  viewPermissions === null || viewPermissions.includes(viewPermission)

/** Returns the condition that the viewer has received entry `e`, and that no other user has claimed its item. */
export const isSeenBy = (viewer: Viewer): SQL => sql`${isReceivedBy(viewer)} and e.is_visible`

/**
 * For each tab, the condition that entry `e` belongs to the tab now. The indexes `entries_attention`,
 * `entries_open_by_kind` and `entries_completed` serve these conditions.
 *
 * The sub-select in `tasks` prevents PostgreSQL from using `entries_attention` for that tab. A scan of
 * `entries_attention` would read all newer unread notifications and discard them.
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

/** The condition that entry `e` is an open task past its due date. */
export const isOverdue: SQL = sql`
  coalesce(e.is_open and e.kind = 'Task' and e.due_at < statement_timestamp(), false)`
