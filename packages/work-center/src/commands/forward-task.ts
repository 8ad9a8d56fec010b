import { recordAudit } from '@vertical-kit/core-audit'
import { type Actor, type Caller, requirePermission } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import { taskForwarded } from '../audit.ts'
import type { WorkCenterConfig } from '../config.ts'
import type { TeamTask } from '../contract.ts'
import type { ItemDefinition, TaskDefinition } from '../definitions/definition.ts'
import { taskForwardedDefinition } from '../definitions/task-forwarded.ts'
import { WorkCenterError } from '../errors.ts'
import type { SeenChange, VersionChanges } from '../inbox/version-changes.ts'
import { supervise } from '../permissions.ts'
import { checkForward } from '../policy.ts'
import { findActingFor } from '../queries/acting-for.ts'
import { type LockedTask, lockTasksById } from '../queries/lock-tasks-by-id.ts'
import { findRecipient, type Recipient } from '../queries/task-recipients.ts'
import { canView, type Viewer, viewerOf } from '../queries/viewer.ts'
import { shareClaimsLock } from './claims-lock.ts'
import { type CreateNotification, createNotifications } from './create-notifications.ts'
import type { Assignment } from './create-tasks.ts'
import { giveTask } from './give-task.ts'
import { raiseVersions } from './raise-versions.ts'
import { withActor } from './seen-row.ts'

export interface ForwardOptions {
  readonly definitions: readonly ItemDefinition[]
  readonly config: Pick<WorkCenterConfig, 'notificationRetentionMs'>
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

export interface ForwardTask {
  readonly id: string
  /** The task version that the user saw. */
  readonly expectedVersion: number
  readonly to: Assignment
  readonly comment: string | null
  readonly actor: Actor
  /** Whether the caller supervises tasks, as read at the start of the request. It is read again under the lock. */
  readonly isSupervisor: boolean
  /** Whether only supervisors may do this, also for their own tasks. */
  readonly requiresSupervisor: boolean
  /** Returns the caller with their current rights. */
  callerNow(tx: Tx): Promise<Caller>
}

/** The reader for the response, and the versions to announce after the commit. */
export interface Forwarded<Response> {
  readonly response: Response
  readonly versions: VersionChanges
}

/**
 * Gives a task to another user or role, and notifies the users who receive it and the user who had it. Locks the task before
 * it checks the rights of the caller and of the recipient, so only one of several concurrent attempts succeeds.
 *
 * A user becomes the claimer of a role's task, or the assignee of a user's task. A role becomes the assigned role, and a claim
 * ends. Runs a fixed number of statements for any number of recipients.
 *
 * @param read reads the response after the change
 * @throws {WorkCenterError} work_center.item_not_found · task_claim_conflict · recipient_not_eligible
 * @throws {CoreError} permission.denied if only supervisors may do this
 */
export async function forwardTask<Response extends TeamTask | object | undefined>(
  tx: Tx,
  options: ForwardOptions,
  input: ForwardTask & { read(tx: Tx, viewer: Viewer): Promise<Response> },
): Promise<Forwarded<Response>> {
  const { id, to, comment, actor, isSupervisor, callerNow, read } = input
  const [, tasks, caller] = await Promise.all([
    shareClaimsLock(tx),
    lockTasksById(tx, { ids: [id], userId: actor.userId, isSupervisor }),
    callerNow(tx),
  ])
  if (input.requiresSupervisor) requirePermission(caller, supervise)
  const viewer = viewerOf(caller)
  const task = tasks.get(id)
  if (task === undefined || viewer === null) throw new WorkCenterError('work_center.item_not_found')
  const definition = options.definitions.find((one): one is TaskDefinition => isOf(task, one))
  const viewPermission = viewPermissionOf(task)
  const [acting, recipient] = await Promise.all([
    findActingFor(tx, viewer, [id]),
    definition &&
      findRecipient(tx, options.administratorRoleCodes, {
        ...{ definition, viewPermission, to },
        assignedRoleId: task.assignedRoleId,
      }),
  ])
  const actingFor = acting.get(id)
  checkForward(task, {
    expectedVersion: input.expectedVersion,
    isVisible: actingFor?.isVisible ?? null,
    isSupervisor: viewer.isSupervisor && canView(viewer, viewPermission),
  })
  if (definition === undefined || recipient === undefined) {
    throw new WorkCenterError('work_center.recipient_not_eligible')
  }
  const after = holderAfter(task, to, recipient)
  const onBehalfOf = actingFor?.isVisible && actingFor.userId !== actor.userId ? actingFor.userId : null
  const [given, notified, response] = await Promise.all([
    giveTask(tx, { id, definition, ...after, recipients: recipient.userIds, roleId: recipient.roleId }),
    notify(tx, options, { task, definition, recipient, to, comment, actor }),
    read(tx, viewer),
    recordAudit(tx, taskForwarded({ task, actor, onBehalfOf, after, comment })),
  ])
  const others: readonly SeenChange[] = [...given, ...notified]
  // Like every verb: also for a user whose right to view the source comes only from the token.
  const changes = actingFor?.isVisible ? withActor(others, actor.userId) : others
  return { response, versions: await raiseVersions(tx, options.administratorRoleCodes, changes) }
}

const isOf = ({ code }: LockedTask, definition: ItemDefinition): boolean =>
  definition.kind === 'Task' && definition.code === code

/** Returns the permission to view the source of a task. */
const viewPermissionOf = ({ source }: Pick<LockedTask, 'source'>): string =>
  `${source.resourceKind}.${source.resourceCode}.view`

/** A role's task stays assigned to the role when a user receives it, so it returns to the role when the claim ends. */
function holderAfter(task: LockedTask, to: Assignment, { roleId }: Recipient) {
  if ('roleCode' in to) return { assignedUserId: null, assignedRoleId: roleId, claimedByUserId: null }
  return task.assignedRoleId === null
    ? { assignedUserId: to.userId, assignedRoleId: null, claimedByUserId: null }
    : { assignedUserId: null, assignedRoleId: task.assignedRoleId, claimedByUserId: to.userId }
}

interface ForwardNews {
  readonly task: LockedTask
  readonly definition: TaskDefinition
  readonly recipient: Recipient
  readonly to: Assignment
  readonly comment: string | null
  readonly actor: Actor
}

/** Notifies the recipients, and the user who had the task before, but never the author of the change. */
function notify(
  tx: Tx,
  { config }: ForwardOptions,
  { task, definition, recipient, to, comment, actor }: ForwardNews,
): Promise<readonly SeenChange[]> {
  const { id, version, title, source, target } = task
  const former = task.claimedByUserId ?? task.assignedUserId
  const about = { source, target, description: comment ?? '' }
  const parameters = { title, actor: actor.displayName, recipient: recipient.name }
  const news = (key: string, words: string, users: readonly string[]): readonly CreateNotification[] => {
    const userIds = users.filter((userId) => userId !== actor.userId)
    if (userIds.length === 0) return []
    const titleText = { key: `work_center.task_forwarded.${key}`, parameters }
    const deduplicationKey = `${id}/${version + 1}/${key}`
    return [{ ...about, deduplicationKey, title: `${title}: ${words}`, titleText, to: { userIds } }]
  }
  const toRole = 'roleCode' in to ? `the role ${recipient.name}` : 'you'
  const isStillTheirs = former === null || recipient.userIds.includes(former)
  return createNotifications(
    tx,
    { definition: taskForwardedDefinition(definition), retentionMs: config.notificationRetentionMs },
    [
      ...news(
        'roleCode' in to ? 'to_role' : 'to_reader',
        `forwarded to ${toRole} by ${actor.displayName}`,
        recipient.userIds,
      ),
      ...(isStillTheirs
        ? []
        : news('from_reader', `forwarded to ${recipient.name} by ${actor.displayName}`, [former])),
    ],
  )
}
