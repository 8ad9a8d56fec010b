import { channels, itemKinds, severities } from '../contract.ts'
import {
  type ItemDefinition,
  isForAllRoles,
  type NotificationDefinition,
  type TaskDefinition,
} from './definition.ts'

/** @throws {TypeError} if a definition is invalid; the message lists all problems */
export function checkDefinitions(definitions: readonly ItemDefinition[]): void {
  const problems = problemsOf(definitions)
  if (problems.length > 0) throw new TypeError(`These definitions cannot be used:\n${problems.join('\n')}`)
}

function problemsOf(definitions: readonly ItemDefinition[]): readonly string[] {
  const codes = definitions.map(({ code }) => code)
  const twice = new Set(codes.filter((code, index) => codes.indexOf(code) !== index))
  return [
    ...[...twice].map((code) => `${code} is defined twice`),
    ...definitions.flatMap((definition) =>
      [...problemsOfOne(definition), ...problemsOfNotices(definition, definitions)].map(
        (problem) => `${definition.code}: ${problem}`,
      ),
    ),
  ]
}

function problemsOfOne(definition: ItemDefinition): readonly string[] {
  const { code, displayName, category, roleCodes } = definition
  return [
    ...found({
      'the code must be lower-case words separated by dots': !/^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(code),
      [`${definition.kind} is not a valid kind`]: !itemKinds.includes(definition.kind),
      'the display name is blank': displayName.trim() === '',
      'the category is blank': category.trim() === '',
      'it lists no role': roleCodes.length === 0 && !isForAllRoles(definition),
      'it is for all roles, so it must list none': roleCodes.length > 0 && isForAllRoles(definition),
      'a role is listed twice': new Set(roleCodes).size < roleCodes.length,
      'it has no channel': definition.channels.length === 0,
      'it lacks the channel InApp, whose items the mails announce':
        definition.channels.length > 0 && !definition.channels.includes('InApp'),
      'a channel is listed twice': new Set(definition.channels).size < definition.channels.length,
    }),
    ...definition.channels
      .filter((channel) => !channels.includes(channel))
      .map((channel) => `${channel} is not a valid channel`),
    ...found({
      'it is off by default and users cannot switch it on, so it would have no recipients':
        !definition.defaultEnabled && !definition.userCanDisable,
    }),
    ...(definition.kind === 'Notification' ? problemsOfNotification(definition) : []),
  ]
}

function problemsOfNotices(
  definition: ItemDefinition,
  definitions: readonly ItemDefinition[],
): readonly string[] {
  if (definition.kind !== 'Task') return []
  const { reminder, escalation, roleCodes }: TaskDefinition = definition
  const isUnknown = (notification: NotificationDefinition | undefined) =>
    notification !== undefined && !definitions.includes(notification)
  return found({
    'the notification of its reminder is not among the definitions': isUnknown(reminder?.notification),
    'the notification of its escalation is not among the definitions': isUnknown(escalation?.notification),
    'the notification of its reminder does not list all of its roles':
      reminder !== undefined && roleCodes.some((code) => !reminder.notification.roleCodes.includes(code)),
    'the notification of its escalation is for all roles, so it would have no recipients':
      escalation !== undefined && isForAllRoles(escalation.notification),
    'beforeDueMs of its reminder must be a positive whole number of milliseconds':
      reminder !== undefined && !(Number.isSafeInteger(reminder.beforeDueMs) && reminder.beforeDueMs > 0),
    'afterDueMs of its escalation must be a whole number of milliseconds, at least 0':
      escalation !== undefined &&
      !(Number.isSafeInteger(escalation.afterDueMs) && escalation.afterDueMs >= 0),
  })
}

function problemsOfNotification({ severity, retentionMs }: NotificationDefinition): readonly string[] {
  return found({
    [`${severity} is not a valid severity`]: !severities.includes(severity),
    'the retention must be a positive whole number of milliseconds':
      retentionMs !== undefined && !(Number.isSafeInteger(retentionMs) && retentionMs > 0),
  })
}

/** Returns the descriptions of all problems with the value `true`. */
const found = (exists: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(exists).filter((problem) => exists[problem])
