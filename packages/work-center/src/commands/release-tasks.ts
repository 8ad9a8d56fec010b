import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { taskReleased } from '../audit.ts'
import { decideRelease } from '../policy.ts'
import { findActingFor } from '../queries/acting-for.ts'
import { findItems, nameOf } from '../queries/find-items.ts'
import { findTeamItems } from '../queries/list-team-tasks.ts'
import { type LockedTask, lockTasksById } from '../queries/lock-tasks-by-id.ts'
import { canView, type Viewer } from '../queries/viewer.ts'
import type { ChangeConfig, ChangedItems, ItemChange, VersionedName } from './change-items.ts'
import { shareClaimsLock } from './claims-lock.ts'
import { reopenTasks } from './give-back-claims.ts'
import { joinTasks } from './join-tasks.ts'
import { raiseVersions } from './raise-versions.ts'
import { withActor } from './seen-row.ts'

/**
 * Gives claimed tasks back to their roles: every current member of a role becomes a recipient again, unless they have switched the
 * definition off. Each release is audited. Locks the tasks before it checks the user's rights and the versions. Runs the same
 * number of statements for any number of tasks. The result of a task is null if the user neither receives nor supervises it any more.
 *
 * Refuses a task with work_center.item_not_found unless the user or a user that they substitute has claimed it, or they supervise it, with work_center.not_claimed if it
 * has no claimer or is closed, and with work_center.task_claim_conflict if its version differs.
 */
export async function releaseTasks(
  tx: Tx,
  { definitions, administratorRoleCodes }: ChangeConfig,
  { items, viewer: { userId, isSupervisor }, actor, viewerNow }: ItemChange<VersionedName>,
): Promise<ChangedItems> {
  const names = items.filter(({ kind }) => kind === 'Task')
  const ids = names.map(({ id }) => id)
  const [, tasks, viewer] = await Promise.all([
    shareClaimsLock(tx),
    lockTasksById(tx, { ids, userId, isSupervisor }),
    viewerNow(tx),
  ])
  const actingFor = await findActingFor(tx, viewer, ids)
  const decisions = items.map(({ kind, id, expectedVersion }) => {
    const task = kind === 'Task' ? tasks.get(id) : undefined
    const supervises = task !== undefined && isSupervisedBy(viewer, task)
    return decideRelease(supervises || actingFor.has(id) ? task : undefined, {
      ...{ userId: actingFor.get(id)?.userId ?? userId, expectedVersion },
      isSupervisor: supervises,
    })
  })
  const released = [...tasks.values()].filter(({ id }) =>
    items.some((item, at) => item.id === id && decisions[at] === 'release'),
  )
  const onBehalfOf = ({ id, claimedByUserId }: LockedTask): string | null => {
    const holder = actingFor.get(id)?.userId ?? userId
    return holder !== userId && holder === claimedByUserId ? holder : null
  }
  const [reopened, joined, , found] = await Promise.all([
    reopenTasks(tx, { ids: idsOf(released), which: sql`true` }),
    joinTasks(tx, { definitions, userIds: [], unseen: [], returned: released }),
    recordAudit(tx, ...released.map((task) => taskReleased({ task, actor, onBehalfOf: onBehalfOf(task) }))),
    findItems(tx, viewer, names),
  ])
  // A supervisor need not receive the task.
  const unseen = released.filter(
    (task) => isSupervisedBy(viewer, task) && !found.has(nameOf({ kind: 'Task', id: task.id })),
  )
  const supervised = await findTeamItems(tx, viewer, idsOf(unseen))
  const seen = [...reopened, ...joined]
  const isForOther = released.some((task) => onBehalfOf(task) !== null)
  return {
    results: items.map((item, at) => {
      const decision = decisions[at]
      if (typeof decision === 'object') return decision
      return found.get(nameOf(item)) ?? supervised.find(({ id }) => id === item.id) ?? null
    }),
    versions: await raiseVersions(tx, administratorRoleCodes, isForOther ? withActor(seen, userId) : seen),
  }
}

const idsOf = (tasks: readonly LockedTask[]): readonly string[] => tasks.map(({ id }) => id)

const isSupervisedBy = (viewer: Viewer, { source }: LockedTask): boolean =>
  viewer.isSupervisor && canView(viewer, `${source.resourceKind}.${source.resourceCode}.view`)
