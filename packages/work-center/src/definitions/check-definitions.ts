import { channels, itemKinds, severities } from '../contract.ts'
import type { ItemDefinition, NotificationDefinition } from './definition.ts'

/** @throws {TypeError} naming everything that is wrong with the definitions of a deployment */
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
      problemsOfOne(definition).map((problem) => `${definition.code}: ${problem}`),
    ),
  ]
}

function problemsOfOne(definition: ItemDefinition): readonly string[] {
  const { code, displayName, category, roleCodes } = definition
  return [
    ...found({
      'the code is not lower-case words, dots between them': !/^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(code),
      [`there is no kind ${definition.kind}`]: !itemKinds.includes(definition.kind),
      'the display name is blank': displayName.trim() === '',
      'the category is blank': category.trim() === '',
      'it is for no role': roleCodes.length === 0,
      'a role is named twice': new Set(roleCodes).size < roleCodes.length,
      'it has no channel': definition.channels.length === 0,
    }),
    ...definition.channels
      .filter((channel) => !channels.includes(channel))
      .map((channel) => `there is no channel ${channel}`),
    ...found({
      'it is off by default and cannot be changed: nobody would ever receive it':
        !definition.defaultEnabled && !definition.userCanDisable,
    }),
    ...(definition.kind === 'Notification' ? problemsOfNotification(definition) : []),
  ]
}

function problemsOfNotification({ severity, retentionMs }: NotificationDefinition): readonly string[] {
  return found({
    [`there is no severity ${severity}`]: !severities.includes(severity),
    'the retention is not a whole number of milliseconds above zero':
      retentionMs !== undefined && !(Number.isSafeInteger(retentionMs) && retentionMs > 0),
  })
}

/** Those that are there, in words. */
const found = (isThere: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(isThere).filter((words) => isThere[words])
