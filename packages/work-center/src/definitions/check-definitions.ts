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
    ...problem(
      !/^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(code),
      'the code is not lower-case words, dots between them',
    ),
    ...problem(!itemKinds.includes(definition.kind), `there is no kind ${definition.kind}`),
    ...problem(displayName.trim() === '', 'the display name is blank'),
    ...problem(category.trim() === '', 'the category is blank'),
    ...problem(roleCodes.length === 0, 'it is for no role'),
    ...problem(new Set(roleCodes).size < roleCodes.length, 'a role is named twice'),
    ...problem(definition.channels.length === 0, 'it has no channel'),
    ...definition.channels
      .filter((channel) => !channels.includes(channel))
      .map((channel) => `there is no channel ${channel}`),
    ...problem(
      !definition.defaultEnabled && !definition.userCanDisable,
      'it is off by default and cannot be changed: nobody would ever receive it',
    ),
    ...(definition.kind === 'Notification' ? problemsOfNotification(definition) : []),
  ]
}

function problemsOfNotification({ severity, retentionMs }: NotificationDefinition): readonly string[] {
  return [
    ...problem(!severities.includes(severity), `there is no severity ${severity}`),
    ...problem(
      retentionMs !== undefined && !(Number.isSafeInteger(retentionMs) && retentionMs > 0),
      'the retention is not a whole number of milliseconds above zero',
    ),
  ]
}

const problem = (isThere: boolean, words: string): readonly string[] => (isThere ? [words] : [])
