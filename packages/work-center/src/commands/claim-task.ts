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
  /** The version the claimer saw. */
  readonly expectedVersion: number
}

/**
 * Makes a task of a role the claimer's: it leaves everybody else's Work Center. Of several claims one succeeds: the task
 * is locked before rights and version are looked at. A repeat by the claimer answers the same.
 *
 * @throws {WorkCenterError} work_center.item_not_found for who has not received the task, has lost its role or may not
 *   view what it is about · work_center.task_claim_conflict for everybody else who cannot have it
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
  if (item === undefined) throw new Error('A claimed task is not seen by its claimer')
  return { item, versions: await raiseVersions(tx, administratorRoleCodes, changesOf(rows)) }
}

/** Their `changes_at` stay: what time does to the task goes on, for the claimer now and for all once it is given back. */
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
