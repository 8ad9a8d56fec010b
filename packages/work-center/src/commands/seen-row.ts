import { type SQL, sql } from '@vertical-kit/core-audit'
import type { SeenChange } from '../inbox/version-changes.ts'

/** The row that a statement returns for all changed entries with one permission. */
export interface SeenRow extends Record<string, unknown> {
  /** The ids, separated by commas; `null` if no user sees the changes. */
  readonly user_ids: string | null
  readonly view_permission: string | null
  /** Absent if all changes concern tasks. */
  readonly is_private?: boolean
}

/**
 * Groups rows with a `user_id` and a `view_permission`. For thousands of users, the driver then parses a single row.
 *
 * @param isPrivate the condition that a row `seen` concerns a notification
 */
export const bySeen = (rows: SQL, isPrivate = sql`false`): SQL => sql`
    select seen.view_permission, ${isPrivate} as is_private, string_agg(seen.user_id::text, ',') as user_ids
    from (${rows}) seen
    group by 1, 2`

/**
 * Adds the author of changes that users see. Their rights are not checked, because they can come from the author's token: all
 * open pages of the author must show what the author has just done.
 */
export const withActor = (changes: readonly SeenChange[], actorUserId: string): readonly SeenChange[] =>
  changes.length === 0 ? [] : [...changes, { userIds: actorUserId, viewPermission: null }]

export const changesOf = (rows: readonly SeenRow[]): readonly SeenChange[] =>
  rows.flatMap(({ user_ids, view_permission, is_private = false }) =>
    user_ids === null ? [] : [{ userIds: user_ids, viewPermission: view_permission, isPrivate: is_private }],
  )
