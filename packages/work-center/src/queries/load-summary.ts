import { type SQL, sql } from '@vertical-kit/core-audit'
import { type Db, planOnce } from '@vertical-kit/core-audit/database'
import type { Summary } from '../contract.ts'
import { inVertical } from './entry-filters.ts'
import { isSubstitute, seenEntries, withRepresented } from './represented.ts'
import { isOverdue, isSeenBy, tabConditions, type Viewer } from './viewer.ts'

type Row = {
  attention: number
  open_tasks: number
  overdue_tasks: number
  notifications: number
  unread_notifications: number
  version: string
  is_substitute: boolean
}

/**
 * Counts the items of the tabs and reads the version in one statement, so the counts and the version describe the same
 * state. The statement is repeated for a substitute, to count the tasks of other users, too. It is an index-only scan of `entries_open_by_kind`. If a condition used a column outside that index,
 * the statement would read the table row of every entry.
 */
export async function loadSummary(
  db: Db,
  viewer: Viewer,
  { vertical }: { readonly vertical: string | null },
): Promise<Summary> {
  const where = sql`e.is_open ${inVertical(vertical)}`
  const own = sql`work_center.entries e where ${isSeenBy(viewer)} and ${where}`
  const [row] = await db.execute<Row>(planOnce(countsOf(viewer, own)))
  const [counts = row] = row?.is_substitute
    ? await db.execute<Row>(
        sql`${withRepresented(viewer)} ${countsOf(viewer, sql`${seenEntries(viewer, where)} e`)}`,
      )
    : []
  return {
    attentionCount: counts?.attention ?? 0,
    openTaskCount: counts?.open_tasks ?? 0,
    overdueTaskCount: counts?.overdue_tasks ?? 0,
    notificationCount: counts?.notifications ?? 0,
    unreadNotificationCount: counts?.unread_notifications ?? 0,
    version: Number(counts?.version ?? 0),
  }
}

/** Counts the items of entries `e`. */
const countsOf = (viewer: Viewer, entries: SQL): SQL => sql`
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
      ) as version,
      ${isSubstitute(viewer)} as is_substitute
    from ${entries}`

/** The summary of a caller without a user record. */
export const emptySummary: Summary = {
  attentionCount: 0,
  openTaskCount: 0,
  overdueTaskCount: 0,
  notificationCount: 0,
  unreadNotificationCount: 0,
  version: 0,
}
