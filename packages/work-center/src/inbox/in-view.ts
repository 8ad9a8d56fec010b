import { type SQL, sql } from 'drizzle-orm/sql'

/** The condition that entry `e` was received without a role, or that its user still has that role. */
export const hasItsRole: SQL = sql`
      (
        e.role_id is null
        or exists (
          select from core_audit.active_role_members m where m.user_id = e.user_id and m.role_id = e.role_id
        )
      )`

/**
 * The condition that entry `e` is in its user's view: no other user has claimed the item, and the user still has the
 * role. Users do not see changes to entries outside their view. `raiseVersions` checks the permission to view the source.
 */
export const isInView: SQL = sql`e.is_visible and ${hasItsRole}`
