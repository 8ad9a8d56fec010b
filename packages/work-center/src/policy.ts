import type { KitError } from '@vertical-kit/core-audit'
import type { Channel, TaskStatus } from './contract.ts'
import { type ItemDefinition, isDefault, isForAllRoles, isMandatory } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'

/** The columns of a stored task that decide who can claim or release it. */
export interface TaskState {
  readonly status: TaskStatus
  readonly version: number
  /** `null` for a task assigned to one user, which cannot be claimed. */
  readonly assignedRoleId: string | null
  readonly claimedByUserId: string | null
}

/** A user's request to change the claim of a task, at the version that they saw. */
interface ClaimRequest {
  readonly userId: string
  readonly expectedVersion: number
}

/**
 * Decides whether a user can claim a task. The claim succeeds if the task is open, unclaimed, assigned to a role, and
 * still at the version that the user saw. If the user has already claimed the task, the result is `already-claimed` for
 * any version.
 *
 * @param task `undefined` if the user has not received the task
 */
export function decideClaim(
  task: TaskState | undefined,
  { userId, expectedVersion }: ClaimRequest,
): 'claim' | 'already-claimed' | KitError {
  if (task === undefined) return new WorkCenterError('work_center.item_not_found')
  if (task.claimedByUserId === userId) return 'already-claimed'
  const isClaimable = task.status === 'Open' && task.assignedRoleId !== null && task.claimedByUserId === null
  if (isClaimable && task.version === expectedVersion) return 'claim'
  return new WorkCenterError('work_center.task_claim_conflict')
}

/**
 * Decides whether a user can give a claimed task back to its role. Only the claimer and supervisors can. Other users do not see a
 * claimed task, so the refusal does not reveal that it exists.
 *
 * @param task `undefined` if the user has not received the task and does not supervise it
 */
export function decideRelease(
  task: TaskState | undefined,
  { userId, expectedVersion, isSupervisor }: ClaimRequest & { readonly isSupervisor: boolean },
): 'release' | KitError {
  const isSeen = task !== undefined && (isSupervisor || [null, userId].includes(task.claimedByUserId))
  if (!isSeen) return new WorkCenterError('work_center.item_not_found')
  if (task.status !== 'InProgress') return new WorkCenterError('work_center.not_claimed')
  if (task.version === expectedVersion) return 'release'
  return new WorkCenterError('work_center.task_claim_conflict')
}

/** A user's attempt to forward a task. */
export interface ForwardAttempt {
  readonly expectedVersion: number
  /** Whether the user, or a user that they substitute, has the task in their Work Center; `null` if they never received it. */
  readonly isVisible: boolean | null
  /** Whether the user supervises tasks and may view the source of this one. */
  readonly isSupervisor: boolean
}

/**
 * Rejects a user who may not forward a task. The users with the task in their Work Center may: its claimer, its assignee, and
 * the recipients of an unclaimed task. Supervisors may forward any task that is not closed.
 *
 * @throws {WorkCenterError} work_center.item_not_found · task_claim_conflict
 */
export function checkForward(
  task: Pick<TaskState, 'status' | 'version'>,
  { expectedVersion, isVisible, isSupervisor }: ForwardAttempt,
): void {
  if (isVisible === null && !isSupervisor) throw new WorkCenterError('work_center.item_not_found')
  const isActive = task.status === 'Open' || task.status === 'InProgress'
  if (!isActive || task.version !== expectedVersion || !(isVisible === true || isSupervisor)) {
    throw new WorkCenterError('work_center.task_claim_conflict')
  }
}

/** Returns whether a definition applies to a user with these active roles. */
export const isFor = (definition: ItemDefinition, roles: readonly string[]): boolean =>
  isForAllRoles(definition) ? roles.length > 0 : definition.roleCodes.some((code) => roles.includes(code))

/** Returns whether users cannot switch a channel of the definition off. Every mail can be switched off. */
export const isMandatoryIn = (definition: ItemDefinition, channel: Channel): boolean =>
  channel === 'InApp' && isMandatory(definition)

/** Returns whether a definition is on in a channel for a user with this stored choice. */
export const isEnabledBy = (
  definition: ItemDefinition,
  channel: Channel,
  choice: { readonly isEnabled: boolean } | undefined,
): boolean => isMandatoryIn(definition, channel) || (choice?.isEnabled ?? isDefault(definition, channel))

/** A preference to set. Its code and channel are not validated yet. */
export interface PreferenceChange {
  readonly code: string
  readonly channel: string
  readonly isEnabled: boolean
}

/**
 * Rejects preferences that a user with these active roles is not allowed to set. Checks for unknown preferences, then for
 * preferences of other roles, then for mandatory preferences, and throws for the first problem.
 *
 * @throws {WorkCenterError} work_center.preference_unknown · preference_not_applicable · preference_mandatory
 */
export function checkPreferences(
  definitions: readonly ItemDefinition[],
  roles: readonly string[],
  changes: readonly PreferenceChange[],
): void {
  const known = changes.map(({ code, channel, isEnabled }) => {
    const definition = definitions.find((one) => one.code === code)
    if (definition === undefined || !definition.channels.includes(channel as Channel)) {
      throw new WorkCenterError('work_center.preference_unknown', { context: { code, channel } })
    }
    return { definition, channel, isEnabled }
  })
  for (const { definition } of known) {
    if (isFor(definition, roles)) continue
    throw new WorkCenterError('work_center.preference_not_applicable', { context: { code: definition.code } })
  }
  for (const { definition, channel, isEnabled } of known) {
    if (isEnabled || definition.userCanDisable || channel !== 'InApp') continue
    throw new WorkCenterError('work_center.preference_mandatory', { context: { code: definition.code } })
  }
}
