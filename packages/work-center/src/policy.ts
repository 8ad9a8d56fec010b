import type { Channel, TaskStatus } from './contract.ts'
import { type ItemDefinition, isMandatory } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'

/** What of a stored task decides whether somebody may claim it. */
export interface TaskState {
  readonly status: TaskStatus
  readonly version: number
  /** `null` for a task of one user: it is not there to be claimed. */
  readonly assignedRoleId: string | null
  readonly claimedByUserId: string | null
}

/**
 * A claim takes an open task of a role that nobody has claimed, at the version its claimer saw. Whoever has claimed it
 * finds it done, whatever version they send.
 *
 * @throws {WorkCenterError} work_center.task_claim_conflict
 */
export function decideClaim(
  task: TaskState,
  claim: { readonly userId: string; readonly expectedVersion: number },
): 'claim' | 'already-claimed' {
  if (task.claimedByUserId === claim.userId) return 'already-claimed'
  const isClaimable = task.status === 'Open' && task.assignedRoleId !== null && task.claimedByUserId === null
  if (isClaimable && task.version === claim.expectedVersion) return 'claim'
  throw new WorkCenterError('work_center.task_claim_conflict')
}

/** Whether a definition is for somebody with these active roles. */
export const isFor = ({ roleCodes }: ItemDefinition, roles: readonly string[]): boolean =>
  roleCodes.some((code) => roles.includes(code))

/** What counts for a user with this stored choice, or with none. A choice does not touch what is mandatory. */
export const isEnabledBy = (
  definition: ItemDefinition,
  choice: { readonly isEnabled: boolean } | undefined,
): boolean => isMandatory(definition) || (choice?.isEnabled ?? definition.defaultEnabled)

/** A preference to be set; nothing of it is known to exist. */
export interface PreferenceChange {
  readonly code: string
  readonly channel: string
  readonly isEnabled: boolean
}

/**
 * Whether somebody with these active roles may set these preferences, all of them. Tells the first that they may not;
 * what there is comes before whom it is for, and that before what can be switched off.
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
    return { definition, isEnabled }
  })
  for (const { definition } of known) {
    if (isFor(definition, roles)) continue
    throw new WorkCenterError('work_center.preference_not_applicable', { context: { code: definition.code } })
  }
  for (const { definition, isEnabled } of known) {
    if (isEnabled || definition.userCanDisable) continue
    throw new WorkCenterError('work_center.preference_mandatory', { context: { code: definition.code } })
  }
}
