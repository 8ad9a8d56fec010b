import { type SQL, sql } from 'drizzle-orm/sql'

/** The condition that the user of an entry, as `e`, still has the role it is there for, if it is for one. */
export const hasItsRole: SQL = sql`
      (
        e.role_id is null
        or exists (
          select from core_audit.active_role_members m where m.user_id = e.user_id and m.role_id = e.role_id
        )
      )`

/**
 * The condition that its user has an entry, as `e`, before them: nobody else has claimed it, and they still have the role it
 * is there for. Of changes to other entries nobody sees anything. Whether they may view the source, `raiseVersions` asks.
 */
export const isInView: SQL = sql`e.is_visible and ${hasItsRole}`
