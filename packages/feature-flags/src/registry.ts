import type { Feature } from './contract.ts'

/** A feature that a deployment can turn on. Codes are case-sensitive. */
export interface FeatureDefinition {
  /** The unique code of the feature. It contains only ASCII letters, digits, underscores and hyphens. */
  readonly code: string
  readonly displayName: string
  readonly group: string
}

/** All features of a deployment and their states. A feature that `values` does not contain is off. */
export interface FeatureRegistration {
  readonly definitions: readonly FeatureDefinition[]
  readonly values: ReadonlyMap<string, boolean>
}

/**
 * Returns the frozen state of all features, by code. This is a pure function.
 * @throws {TypeError} listing every duplicate code (codes that differ only by case are duplicates), every malformed code,
 *   every blank name or group, and every value for a code that is not registered in exactly this casing
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

/** A feature code and the problem of its definition or value. */
type Problem = readonly [code: string, message: string]

function problemsOf({ definitions, values }: FeatureRegistration): readonly string[] {
  const registered = registeredCodes(definitions)
  const unknown = [...values.keys()]
    .filter((code) => registered.get(code.toLowerCase()) !== code)
    .map((code): Problem => [code, unknownCode(code, registered)])
  return [...definitionProblems(definitions), ...unknown].map(([code, message]) => `${code}: ${message}`)
}

/** Returns the problems of the definitions: duplicate codes, malformed codes, blank names and blank groups. */
export function definitionProblems(definitions: readonly FeatureDefinition[]): readonly Problem[] {
  const registered = registeredCodes(definitions)
  const seen = new Set<string>()
  return definitions.flatMap(({ code, displayName, group }) => {
    const problems: Problem[] = []
    if (!/^[\w-]+$/.test(code)) problems.push([code, 'a code contains only ASCII letters, digits, _ and -'])
    if (displayName.trim() === '') problems.push([code, 'the display name is blank'])
    if (group.trim() === '') problems.push([code, 'the group is blank'])
    const first = registered.get(code.toLowerCase())
    if (seen.has(code.toLowerCase()))
      problems.push([code, `registered twice${first === code ? '' : `, also as ${first}`}`])
    seen.add(code.toLowerCase())
    return problems
  })
}

/** Maps lower-case codes to registered codes. If several codes differ only by case, the map contains the first code. */
export const registeredCodes = (definitions: readonly FeatureDefinition[]): ReadonlyMap<string, string> =>
  new Map(definitions.toReversed().map(({ code }) => [code.toLowerCase(), code]))

/** Returns the error message for a code that is not registered in exactly this casing. */
export function unknownCode(code: string, registeredByLowerCase: ReadonlyMap<string, string>): string {
  const similar = registeredByLowerCase.get(code.toLowerCase())
  return similar === undefined ? 'unknown feature' : `wrong casing; the feature is ${similar}`
}

/**
 * Returns the conflicts between a later registration and the first registration. A conflict is a new feature, or a
 * different display name, group or state. The later registration is allowed to omit features.
 */
export function contradictions(
  first: ReadonlyMap<string, Feature>,
  later: ReadonlyMap<string, Feature>,
): readonly string[] {
  return [...later.values()].flatMap(({ code, displayName, group, enabled }) => {
    const known = first.get(code)
    if (known === undefined) return [`${code}: the first registration does not contain it`]
    if (known.enabled !== enabled) return [`${code}: is already ${known.enabled ? 'on' : 'off'}`]
    const isSame = known.displayName === displayName && known.group === group
    return isSame ? [] : [`${code}: is already registered with another display name or group`]
  })
}
