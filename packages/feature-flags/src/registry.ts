import type { Feature } from './contract.ts'

/** A feature a deployment can switch. The code's casing is part of it. */
export interface FeatureDefinition {
  /** ASCII letters, digits, underscores or hyphens. */
  readonly code: string
  readonly displayName: string
  readonly group: string
}

/** What one registration says: every feature there is, and which are on. A feature without a value is off. */
export interface FeatureRegistration {
  readonly definitions: readonly FeatureDefinition[]
  readonly values: ReadonlyMap<string, boolean>
}

/**
 * Builds the frozen state of all features. Pure: the same registration gives the same state.
 * @throws {TypeError} naming every duplicate code (also where only the casing differs), malformed code, blank name
 *   or group, and value of a code that is not registered in exactly that casing
 */
export function freezeFeatures(registration: FeatureRegistration): ReadonlyMap<string, Feature> {
  const problems = problemsOf(registration)
  if (problems.length > 0) throw new TypeError(`The features cannot be registered:\n${problems.join('\n')}`)
  return new Map(
    registration.definitions.map(({ code, displayName, group }) => [
      code,
      Object.freeze({ code, displayName, group, enabled: registration.values.get(code) ?? false }),
    ]),
  )
}

/** What is wrong with a code, and which code. */
type Problem = readonly [code: string, message: string]

function problemsOf({ definitions, values }: FeatureRegistration): readonly string[] {
  const registered = registeredCodes(definitions)
  const unknown = [...values.keys()]
    .filter((code) => registered.get(code.toLowerCase()) !== code)
    .map((code): Problem => [code, unknownCode(code, registered)])
  return [...definitionProblems(definitions), ...unknown].map(([code, message]) => `${code}: ${message}`)
}

/** Every duplicate and malformed code, blank name and blank group; shared with the reader of the environment. */
export function definitionProblems(definitions: readonly FeatureDefinition[]): readonly Problem[] {
  const registered = registeredCodes(definitions)
  const seen = new Set<string>()
  return definitions.flatMap(({ code, displayName, group }) => {
    const problems: Problem[] = []
    if (!/^[\w-]+$/.test(code)) problems.push([code, 'a code is made of ASCII letters, digits, _ and -'])
    if (displayName.trim() === '') problems.push([code, 'the display name is blank'])
    if (group.trim() === '') problems.push([code, 'the group is blank'])
    const first = registered.get(code.toLowerCase())
    if (seen.has(code.toLowerCase()))
      problems.push([code, `registered twice${first === code ? '' : `, also as ${first}`}`])
    seen.add(code.toLowerCase())
    return problems
  })
}

/** The registered codes by their lower case; of several that differ only by case, the first. */
export const registeredCodes = (definitions: readonly FeatureDefinition[]): ReadonlyMap<string, string> =>
  new Map(definitions.toReversed().map(({ code }) => [code.toLowerCase(), code]))

/** Says why a code is not one of the registered ones; shared with the reader of the environment. */
export function unknownCode(code: string, registeredByLowerCase: ReadonlyMap<string, string>): string {
  const meant = registeredByLowerCase.get(code.toLowerCase())
  return meant === undefined ? 'unknown feature' : `wrong casing; the feature is ${meant}`
}

/**
 * What a later registration says that the first did not: another feature, other words, another state. A feature that
 * it leaves out is left as it is.
 */
export function contradictions(
  first: ReadonlyMap<string, Feature>,
  later: ReadonlyMap<string, Feature>,
): readonly string[] {
  return [...later.values()].flatMap(({ code, displayName, group, enabled }) => {
    const known = first.get(code)
    if (known === undefined) return [`${code}: was not registered at first`]
    if (known.enabled !== enabled) return [`${code}: is ${known.enabled ? 'on' : 'off'} already`]
    const isSame = known.displayName === displayName && known.group === group
    return isSame ? [] : [`${code}: has another display name or group already`]
  })
}
