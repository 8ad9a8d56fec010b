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
import { changesOf, type SeenRow } from './seen-row.ts'

export interface ClaimTask extends OwnChange {
  /** The task version that the claimer saw. */
  readonly expectedVersion: number
}

/**
 * Assigns a role's task to the claimer and hides it from all other recipients. Only one of several claims succeeds: the
 * task is locked before rights and version are checked. A repeat by the claimer changes nothing and returns the task.
 *
 * @throws {WorkCenterError} work_center.item_not_found when the caller never received the task, lost its role or may not
 *   view its source · work_center.task_claim_conflict when the task cannot be claimed for any other reason
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

/** Keeps `changes_at` of all entries: due dates still apply, to the claimer now and to all recipients after a give-back. */
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
    select e.user_id, case when e.user_id = ${userId}::uuid then null else e.view_permission end as view_permission
    from changed e
    where ${hasItsRole}`)
