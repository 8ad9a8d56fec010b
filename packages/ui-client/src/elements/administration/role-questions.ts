import type { PermissionChange } from '../../stores/administration/index.ts'
import type { Permission, Role } from '../../wire/security.ts'
import type { Question } from '../parts/ask-dialog.ts'
import { permissionTexts, roleName } from '../service-texts.ts'
import { currentTexts } from './texts.ts'

/** The confirmation before the permissions of a role change: what changes, and for how many people. */
export function permissionsQuestion(
  role: Role,
  { added, removed }: PermissionChange,
  permissions: readonly Permission[],
): Question {
  const texts = currentTexts()
  const names = new Map(permissions.map((one) => [one.permission, permissionTexts(one).name]))
  const nameOf = (permission: string) => names.get(permission) ?? permission
  const lines = [
    ...added.map((one) => texts.adds(nameOf(one))),
    ...removed.map((one) => texts.removes(nameOf(one))),
  ]
  return {
    title: texts.reviewTitle(roleName(role)),
    message: texts.reviewMessage(role.assignedUserCount),
    confirmLabel: texts.save,
    preview: Promise.resolve({ title: texts.changes, lines }),
  }
}

/** The confirmation before a role is switched off or on, with the number of people who have it. */
export function activityQuestion(role: Role): Question {
  const texts = currentTexts()
  const { isActive, assignedUserCount } = role
  const name = roleName(role)
  return isActive
    ? {
        title: texts.switchOffTitle(name),
        message: texts.switchOffMessage(assignedUserCount),
        confirmLabel: texts.switchOff,
        isDangerous: true,
      }
    : {
        title: texts.switchOnTitle(name),
        message: texts.switchOnMessage(assignedUserCount),
        confirmLabel: texts.switchOn,
      }
}
