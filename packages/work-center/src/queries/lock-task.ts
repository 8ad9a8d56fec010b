import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { sql } from 'drizzle-orm/sql'
import type { TaskState } from '../policy.ts'
import type { tasks } from '../schema.ts'

type Row = RowOf<typeof tasks, 'status' | 'version' | 'assignedRoleId' | 'claimedByUserId'>

/**
 * Locks a task until the transaction ends, and returns its last committed state. If the user has no entry of the task,
 * returns `undefined` and locks nothing, so that this user never blocks other users.
 */
export async function lockTask(
  tx: Tx,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<TaskState | undefined> {
  const [row] = await tx.execute<Row>(sql`
    select status, version, assigned_role_id, claimed_by_user_id
    from work_center.tasks
    where id = ${id}::uuid
      and exists (
        select from work_center.entries where user_id = ${userId}::uuid and item_id = ${id}::uuid
      )
    for update`)
  if (row === undefined) return undefined
  return {
    status: row.status,
    version: row.version,
    assignedRoleId: row.assigned_role_id,
    claimedByUserId: row.claimed_by_user_id,
  }
}
