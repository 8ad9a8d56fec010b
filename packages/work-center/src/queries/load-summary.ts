import type { Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { Summary } from '../contract.ts'
import { inVertical } from './entry-filters.ts'
import { isOverdue, isSeenBy, tabConditions, type Viewer } from './viewer.ts'

type Row = {
  attention: number
  open_tasks: number
  overdue_tasks: number
  notifications: number
  unread_notifications: number
  version: string
}

/**
 * Counts the items of the tabs and reads the version in one statement, so the counts and the version describe the same
 * state. The statement is an index-only scan of `entries_open_by_kind`. If a condition used a column outside that index,
 * the statement would read the table row of every entry.
 */
export async function loadSummary(
  db: Db,
  viewer: Viewer,
  { vertical }: { readonly vertical: string | null },
): Promise<Summary> {
  const [row] = await db.execute<Row>(sql`
    select
      count(*) filter (where ${tabConditions.attention})::int as attention,
      count(*) filter (where ${tabConditions.tasks})::int as open_tasks,
      count(*) filter (
        where ${tabConditions.attention} and ${isOverdue}
      )::int as overdue_tasks,
      count(*) filter (where ${tabConditions.notifications})::int as notifications,
      count(*) filter (where ${tabConditions.notifications} and e.read_at is null)::int as unread_notifications,
      coalesce(
        (select version from work_center.user_versions where user_id = ${viewer.userId}::uuid), 0
      ) as version
    from work_center.entries e
    where ${isSeenBy(viewer)} and e.is_open ${inVertical(vertical)}`)
  return {
    attentionCount: row?.attention ?? 0,
    openTaskCount: row?.open_tasks ?? 0,
    overdueTaskCount: row?.overdue_tasks ?? 0,
    notificationCount: row?.notifications ?? 0,
    unreadNotificationCount: row?.unread_notifications ?? 0,
    version: Number(row?.version ?? 0),
  }
}

/** The summary of a caller without a user record. */
export const emptySummary: Summary = {
  attentionCount: 0,
  openTaskCount: 0,
  overdueTaskCount: 0,
  notificationCount: 0,
  unreadNotificationCount: 0,
  version: 0,
}
