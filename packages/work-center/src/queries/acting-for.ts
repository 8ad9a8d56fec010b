import { type SQL, sql } from '@vertical-kit/core-audit'
import { type Db, planOnce } from '@vertical-kit/core-audit/database'
import { hasItsRole } from '../inbox/in-view.ts'
import { withRepresented } from './represented.ts'
import { isViewable, type Viewer } from './viewer.ts'

/** A viewer acts on a task for this user: the viewer, or a user that they substitute. */
export interface ActingFor {
  readonly userId: string
  /** False if another user has claimed the task. */
  readonly isVisible: boolean
}

/**
 * Selects one entry of each item that a user has received, or that users have received that they substitute. Requires
 * {@link withRepresented}. Visible entries come first, then own entries, in the order in which lists choose an entry.
 */
export const receivedEntries = (userId: string, ids: readonly string[], where: SQL): SQL => sql`
    select distinct on (e.item_id) e.user_id, e.item_id, e.is_visible
    from (
      select ${userId}::uuid as user_id, 0 as place
      union all
      select user_id, 1 from represented
    ) c
    join work_center.entries e on e.user_id = c.user_id and e.item_id = any(${sql.param(ids)}::uuid[])
    where ${hasItsRole} and (c.place = 0 or e.kind = 'Task') and ${where}
    order by e.item_id, e.is_visible desc, c.place, e.user_id`

/**
 * Returns the user that the viewer acts for on each task, by the id of the task. Tasks that none of these users has received
 * are missing. Uses the index `entries_pkey`.
 */
export async function findActingFor(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ActingFor>> {
  const rows = await db.execute<{ user_id: string; item_id: string; is_visible: boolean }>(
    planOnce(sql`
    ${withRepresented(viewer)}
    ${receivedEntries(viewer.userId, ids, sql`e.kind = 'Task' and ${isViewable(viewer)}`)}`),
  )
  return new Map(
    rows.map((row) => [row.item_id, { userId: row.user_id, isVisible: row.is_visible }] as const),
  )
}
