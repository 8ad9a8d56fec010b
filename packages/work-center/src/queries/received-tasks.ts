import type { Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { isReceivedBy, type Viewer } from './viewer.ts'

/** Returns the tasks that the viewer has received, also those that another user has claimed. Uses the index `entries_pkey`. */
export async function receivedTasks(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.execute<{ item_id: string }>(sql`
    select e.item_id
    from work_center.entries e
    where ${isReceivedBy(viewer)} and e.item_id = any(${sql.param(ids)}::uuid[]) and e.kind = 'Task'`)
  return new Set(rows.map(({ item_id }) => item_id))
}
