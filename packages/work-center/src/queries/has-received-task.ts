import type { Db } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { isReceivedBy, type Viewer } from './viewer.ts'

/** Returns whether the viewer has received a task, even if another user has claimed it. Uses the index `entries_pkey`. */
export async function hasReceivedTask(db: Db, viewer: Viewer, id: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select from work_center.entries e
    where ${isReceivedBy(viewer)} and e.item_id = ${id}::uuid and e.kind = 'Task'`)
  return rows.length > 0
}
