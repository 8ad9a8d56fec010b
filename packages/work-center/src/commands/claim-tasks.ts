import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import { planOnce, type Tx } from '@vertical-kit/core-audit/database'
import { taskClaimed } from '../audit.ts'
import type { Item } from '../contract.ts'
import { hasItsRole } from '../inbox/in-view.ts'
import { decideClaim } from '../policy.ts'
import { findActingFor } from '../queries/acting-for.ts'
import { findItems, type ItemName, nameOf } from '../queries/find-items.ts'
import { type LockedTask, lockTasksById } from '../queries/lock-tasks-by-id.ts'
import type { Viewer } from '../queries/viewer.ts'
import {
  type ChangeConfig,
  type ChangedItems,
  type ItemChange,
  notFound,
  type VersionedName,
} from './change-items.ts'
import { shareClaimsLock } from './claims-lock.ts'
import { raiseVersions } from './raise-versions.ts'
import { bySeen, changesOf, type SeenRow, withActor } from './seen-row.ts'

/**
 * Assigns tasks of roles to the claimer, or to the user that they substitute, and hides them from all other recipients. Locks the tasks before it checks the claimer's
 * rights and the versions, so only one of several concurrent claims of a task succeeds. If the claimer repeats a claim, nothing
 * changes and the task is returned. Runs the same number of statements for any number of tasks.
 *
 * Refuses a task with work_center.item_not_found if the claimer has not received it, has lost its role, cannot view its source or
 * no longer substitutes its recipient, and with work_center.task_claim_conflict if it cannot be claimed for any other reason.
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
  const claims = [...tasks.values()]
    .filter(({ id }) => items.some((item, at) => item.id === id && decisions[at] === 'claim'))
    .map((task) => ({ task, userId: claimerOf(task.id) }))
  const { rows, found } = await writeClaims(tx, { viewer, actor, names, claims })
  return {
    results: items.map((item, at) => {
      const decision = decisions[at]
      return typeof decision === 'object' ? decision : (found.get(nameOf(item)) ?? notFound())
    }),
    versions: await raiseVersions(tx, administratorRoleCodes, withActor(changesOf(rows), userId)),
  }
}

/** A task, and the user whose task it becomes. */
interface Claim {
  readonly task: LockedTask
  readonly userId: string
}

interface Claims {
  readonly viewer: Viewer
  readonly actor: Actor
  /** All tasks to read. */
  readonly names: readonly ItemName[]
  readonly claims: readonly Claim[]
}

/** The claimer does not see tasks that they have claimed. */
class UnseenTasks extends Error {
  readonly ids: ReadonlySet<string>
  constructor(claims: readonly Claim[]) {
    super('The claimer cannot see the tasks that they claimed')
    this.ids = new Set(claims.map(({ task }) => task.id))
  }
}

/**
 * Assigns the tasks and reads the items. A substitution can end between these statements. Then the claimer no longer sees the
 * task, so its claim is undone and the task is missing from the items. Claims for the claimer themselves need no savepoint.
 */
async function writeClaims(
  tx: Tx,
  input: Claims,
): Promise<{ readonly rows: readonly SeenRow[]; readonly found: ReadonlyMap<string, Item> }> {
  const { viewer, actor, names, claims } = input
  const forOthers = claims.filter(({ userId }) => userId !== viewer.userId)
  // Claims have no audit event, except those of substitutes: they name both users.
  const events = forOthers.map(({ task, userId: onBehalfOf }) => taskClaimed({ task, actor, onBehalfOf }))
  const write = async (part: Tx) => {
    const [rows, found] = await Promise.all([
      claims.length === 0 ? [] : giveTo(part, claims),
      findItems(part, viewer, names),
      recordAudit(part, ...events),
    ])
    const unseen = claims.filter(({ task: { id } }) => !found.has(nameOf({ kind: 'Task', id })))
    if (unseen.length > 0) throw new UnseenTasks(unseen)
    return { rows, found }
  }
  if (forOthers.length === 0) return write(tx)
  try {
    return await tx.savepoint(write)
  } catch (error) {
    if (!(error instanceof UnseenTasks)) throw error
    return writeClaims(tx, { ...input, claims: claims.filter(({ task }) => !error.ids.has(task.id)) })
  }
}

/** Assigns each task to its claimer. Does not change `changes_at`, because the due date of a claimed task still applies. */
const giveTo = (tx: Tx, claims: readonly Claim[]) =>
  tx.execute<SeenRow>(
    planOnce(sql`
    with task as (
      update work_center.tasks t
      set claimed_by_user_id = c.user_id, claimed_at = clock_timestamp(), claim_role_id = null, status = 'InProgress',
        version = version + 1
      from unnest(
        ${sql.param(claims.map(({ task }) => task.id))}::uuid[],
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
      returning e.user_id, e.role_id, e.view_permission
    )
    ${bySeen(sql`select distinct e.user_id, e.view_permission from changed e where ${hasItsRole}`)}`),
  )
