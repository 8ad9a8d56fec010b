import { type SQL, sql } from '@vertical-kit/core-audit'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import type { AccessChangedData } from '@vertical-kit/core-audit/identity'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { isInView } from '../inbox/in-view.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { tasks } from '../schema.ts'
import { lockClaims } from './claims-lock.ts'
import { concernedIds } from './concerned-ids.ts'
import type { TaskName } from './lock-tasks.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/**
 * A task with a claimer that has lost the role of their claim. The role was revoked or switched off, or the account of the
 * claimer was deactivated.
 */
export interface LostClaim extends TaskName {
  readonly id: string
}

/** The condition that the claimer of task `t` still has the role of the claim. */
export const claimerHasRole: SQL = sql`
      exists (
        select
        from core_audit.active_role_members m
        where m.user_id = t.claimed_by_user_id and m.role_id = coalesce(t.claim_role_id, t.assigned_role_id)
      )`

const isLost = sql`t.closed_at is null and t.claimed_by_user_id is not null and not ${claimerHasRole}`

/**
 * Acquires the claims lock exclusively, and returns the claims to give back. New claims wait until the transaction ends.
 * Call it before the transaction locks any task. The index `tasks_claimed` serves the search.
 *
 * @param accessChanges limits the search to claims by the given users and to claims for tasks of the given roles
 */
export async function findLostClaims(
  tx: Tx,
  accessChanges: readonly AccessChangedData[],
): Promise<readonly LostClaim[]> {
  if (accessChanges.length === 0) return []
  const [, rows] = await Promise.all([
    lockClaims(tx),
    tx.execute<RowOf<typeof tasks, 'id' | 'code' | 'deduplicationKey'>>(
      planOnce(sql`
      select t.id, t.code, t.deduplication_key
      from work_center.tasks t
      where ${isLost} and (${claimsOf(accessChanges)})`),
    ),
  ])
  return rows.map((row) => ({ id: row.id, code: row.code, deduplicationKey: row.deduplication_key }))
}

function claimsOf(accessChanges: readonly AccessChangedData[]): SQL {
  const { userIds, roleIds } = concernedIds(accessChanges)
  const conditions = [
    ...(userIds.length > 0 ? [sql`t.claimed_by_user_id = any(${sql.param(userIds)}::uuid[])`] : []),
    ...(roleIds.length > 0
      ? [sql`coalesce(t.claim_role_id, t.assigned_role_id) = any(${sql.param(roleIds)}::uuid[])`]
      : []),
  ]
  return sql.join(conditions, sql` or `)
}

/**
 * Reopens tasks with a lost claim, and returns the changes that users see. The tasks must be locked. A task can be closed after
 * the search for lost claims and before its lock, so the statement checks the claims again and skips closed tasks.
 */
export const giveBackClaims = (tx: Tx, claims: readonly LostClaim[]): Promise<readonly SeenChange[]> =>
  reopenTasks(tx, { ids: claims.map(({ id }) => id), which: isLost })

/**
 * Returns claimed tasks to their roles: every recipient with the role sees them again. Returns the changes that these users and the
 * former claimers see. The rights of the claimers are not checked, because they can have lost them together with the claim. The
 * tasks must be locked. `joinTasks` adds members of the role that are no recipients.
 *
 * @param which the condition on task `t`
 */
export async function reopenTasks(
  tx: Tx,
  { ids, which }: { readonly ids: readonly string[]; readonly which: SQL },
): Promise<readonly SeenChange[]> {
  if (ids.length === 0) return []
  const rows = await tx.execute<SeenRow>(
    planOnce(sql`
    with claimed as materialized (
      select t.id, t.claimed_by_user_id
      from work_center.tasks t
      where t.id = any(${sql.param(ids)}::uuid[]) and ${which}
    ),
    task as (
      update work_center.tasks t
      set status = 'Open', claimed_by_user_id = null, claimed_at = null, claim_role_id = null, version = version + 1
      from claimed
      where t.id = claimed.id
      returning t.id, t.assigned_role_id, claimed.claimed_by_user_id
    ),
    changed as (
      update work_center.entries e
      set is_visible = true, role_id = task.assigned_role_id,
        arrived_in = case when e.is_visible then e.arrived_in else pg_current_xact_id() end
      from task
      where e.item_id = task.id
      returning e.user_id, e.role_id, e.view_permission, e.is_visible,
        e.user_id = task.claimed_by_user_id as is_claimer
    )
    ${bySeen(sql`
      select e.user_id, e.view_permission from changed e where e.is_claimer or ${isInView}
      union
      select e.user_id, null from changed e where e.is_claimer`)}`),
  )
  return changesOf(rows)
}
