import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { WorkCenterError } from '../errors.ts'
import { hasItsRole } from '../inbox/in-view.ts'
import { decideClaim } from '../policy.ts'
import { findItem } from '../queries/find-item.ts'
import { hasReceivedTask } from '../queries/has-received-task.ts'
import { lockTask } from '../queries/lock-task.ts'
import type { ChangedItem, OwnChange } from './change-own-entry.ts'
import { shareClaimsLock } from './claims-lock.ts'
import { raiseVersions } from './raise-versions.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

export interface ClaimTask extends OwnChange {
  /** The task version that the claimer saw. */
  readonly expectedVersion: number
}

/**
 * Assigns a task of a role to the claimer and hides the task from all other recipients. Locks the task before it checks
 * the claimer's rights and the task's version, so only one of several concurrent claims succeeds. If the claimer repeats
 * the claim, nothing changes and the task is returned.
 *
 * @throws {WorkCenterError} work_center.item_not_found if the claimer has not received the task, has lost its role or
 *   cannot view its source · work_center.task_claim_conflict if the task cannot be claimed for any other reason
 */
export async function claimTask(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  { id, userId, expectedVersion, viewerNow }: ClaimTask,
): Promise<ChangedItem> {
  const [, task, viewer] = await Promise.all([
    shareClaimsLock(tx),
    lockTask(tx, { id, userId }),
    viewerNow(tx),
  ])
  if (task === undefined || !(await hasReceivedTask(tx, viewer, id))) {
    throw new WorkCenterError('work_center.item_not_found')
  }
  const decision = decideClaim(task, { userId, expectedVersion })
  const [rows, item] = await Promise.all([
    decision === 'claim' ? giveTo(tx, { id, userId }) : [],
    findItem(tx, viewer, { kind: 'Task', id }),
  ])
  if (item === undefined) throw new Error('The claimer cannot see the task that they claimed')
  return { item, versions: await raiseVersions(tx, administratorRoleCodes, changesOf(rows)) }
}

/** Assigns the task to the user. Does not change `changes_at`, because the due date of a claimed task still applies. */
const giveTo = (tx: Tx, { id, userId }: { id: string; userId: string }) =>
  tx.execute<SeenRow>(sql`
    with task as (
      update work_center.tasks
      set claimed_by_user_id = ${userId}::uuid, status = 'InProgress', version = version + 1
      where id = ${id}::uuid
      returning id
    ),
    changed as (
      update work_center.entries e
      set role_id = case when e.user_id = ${userId}::uuid then null else e.role_id end,
        is_visible = e.user_id = ${userId}::uuid
      from task
      where e.item_id = task.id
      returning e.user_id, e.role_id, e.view_permission
    )
    ${bySeen(sql`
      select e.user_id, case when e.user_id = ${userId}::uuid then null else e.view_permission end as view_permission
      from changed e
      where ${hasItsRole}`)}`)
