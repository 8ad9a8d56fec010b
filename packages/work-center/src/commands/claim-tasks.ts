import { recordAudit } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { taskClaimed } from '../audit.ts'
import { hasItsRole } from '../inbox/in-view.ts'
import { decideClaim } from '../policy.ts'
import { findActingFor } from '../queries/acting-for.ts'
import { findItems, nameOf } from '../queries/find-items.ts'
import { lockTasksById } from '../queries/lock-tasks-by-id.ts'
import type { ChangeConfig, ChangedItems, ItemChange, VersionedName } from './change-items.ts'
import { shareClaimsLock } from './claims-lock.ts'
import { raiseVersions } from './raise-versions.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'

/**
 * Assigns tasks of roles to the claimer, or to the user that they substitute, and hides them from all other recipients. Locks the tasks before it checks the claimer's
 * rights and the versions, so only one of several concurrent claims of a task succeeds. If the claimer repeats a claim, nothing
 * changes and the task is returned. Runs the same number of statements for any number of tasks.
 *
 * Refuses a task with work_center.item_not_found if the claimer has not received it, has lost its role or cannot view its source,
 * and with work_center.task_claim_conflict if it cannot be claimed for any other reason.
 */
export async function claimTasks(
  tx: Tx,
  { administratorRoleCodes }: ChangeConfig,
  { items, viewer: { userId }, actor, viewerNow }: ItemChange<VersionedName>,
): Promise<ChangedItems> {
  const names = items.filter(({ kind }) => kind === 'Task')
  const ids = names.map(({ id }) => id)
  const [, tasks, viewer] = await Promise.all([
    shareClaimsLock(tx),
    lockTasksById(tx, { ids, userId, isSupervisor: false }),
    viewerNow(tx),
  ])
  const actingFor = await findActingFor(tx, viewer, ids)
  const claimerOf = (id: string): string => actingFor.get(id)?.userId ?? userId
  const decisions = items.map(({ kind, id, expectedVersion }) => {
    const task = kind === 'Task' && actingFor.has(id) ? tasks.get(id) : undefined
    return decideClaim(task, { userId: claimerOf(id), expectedVersion })
  })
  const claimed = ids.filter((id) => items.some((item, at) => item.id === id && decisions[at] === 'claim'))
  const claims = claimed.map((id) => ({ id, userId: claimerOf(id) }))
  // Claims have no audit event, except those of substitutes: they name both users.
  const events = claims.flatMap(({ id, userId: onBehalfOf }) => {
    const task = tasks.get(id)
    return task === undefined || onBehalfOf === userId ? [] : [taskClaimed({ task, actor, onBehalfOf })]
  })
  const [rows, found] = await Promise.all([
    claims.length === 0 ? [] : giveTo(tx, claims),
    findItems(tx, viewer, names),
    recordAudit(tx, ...events),
  ])
  return {
    results: items.map((item, at) => {
      const decision = decisions[at]
      if (typeof decision === 'object') return decision
      const after = found.get(nameOf(item))
      if (after === undefined) throw new Error('The claimer cannot see the task that they claimed')
      return after
    }),
    versions: await raiseVersions(tx, administratorRoleCodes, changesOf(rows)),
  }
}

/** Assigns each task to its claimer. Does not change `changes_at`, because the due date of a claimed task still applies. */
const giveTo = (tx: Tx, claims: readonly { readonly id: string; readonly userId: string }[]) =>
  tx.execute<SeenRow>(sql`
    with task as (
      update work_center.tasks t
      set claimed_by_user_id = c.user_id, claimed_at = clock_timestamp(), claim_role_id = null, status = 'InProgress',
        version = version + 1
      from unnest(
        ${sql.param(claims.map(({ id }) => id))}::uuid[],
        ${sql.param(claims.map(({ userId }) => userId))}::uuid[]
      ) c (id, user_id)
      where t.id = c.id
      returning t.id, c.user_id
    ),
    changed as (
      update work_center.entries e
      set role_id = case when e.user_id = task.user_id then null else e.role_id end,
        is_visible = e.user_id = task.user_id
      from task
      where e.item_id = task.id
      returning e.user_id, e.role_id, e.view_permission, e.user_id = task.user_id as is_claimer
    )
    ${bySeen(sql`
      select distinct e.user_id,
        case when e.is_claimer then null else e.view_permission end as view_permission
      from changed e
      where ${hasItsRole}`)}`)
