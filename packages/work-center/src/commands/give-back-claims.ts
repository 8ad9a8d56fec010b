import type { AccessChangedData, Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { isInView } from '../inbox/in-view.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { takeClaimsTurn } from './claims-turn.ts'
import { byName, lockTasks } from './lock-tasks.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/**
 * Opens tasks again whose claimers have lost the role, or may do nothing any more, and returns who finds them again: the
 * recipients who still have the role. The claimer's own change is theirs to be told, see `listConcerned`.
 *
 * @param whose whose claims to look at: a user's, or those of a role's tasks (`tasks_claimed` finds either)
 */
export async function giveBackClaims(tx: Tx, whose: AccessChangedData): Promise<readonly SeenChange[]> {
  await takeClaimsTurn(tx)
  const scope =
    'userId' in whose
      ? sql`t.claimed_by_user_id = ${whose.userId}::uuid`
      : sql`t.claimed_by_user_id is not null and t.assigned_role_id = ${whose.roleId}::uuid`
  const isLost = sql`
      t.closed_at is null
      and ${scope}
      and not exists (
        select
        from core_audit.active_role_members m
        where m.user_id = t.claimed_by_user_id and m.role_id = t.assigned_role_id
      )`
  const found = await tx.execute<{ id: string; code: string; deduplication_key: string }>(sql`
    select t.id, t.code, t.deduplication_key from work_center.tasks t where ${isLost}`)
  if (found.length === 0) return []
  const names = found.map((row) => ({ code: row.code, deduplicationKey: row.deduplication_key })).sort(byName)
  const [, rows] = await Promise.all([
    lockTasks(tx, names),
    tx.execute<SeenRow>(sql`
      with task as (
        update work_center.tasks t
        set status = 'Open', claimed_by_user_id = null, version = version + 1
        where t.id = any(${sql.param(found.map(({ id }) => id))}::uuid[]) and ${isLost}
        returning t.id, t.assigned_role_id
      ),
      changed as (
        update work_center.entries e
        set is_visible = true, role_id = task.assigned_role_id
        from task
        where e.item_id = task.id
        returning e.user_id, e.role_id, e.view_permission, e.is_visible
      )
      select e.user_id, e.view_permission from changed e where ${isInView}`),
  ])
  return changesOf(rows)
}
