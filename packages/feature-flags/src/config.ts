import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import {
  definitionProblems,
  type FeatureDefinition,
  type FeatureRegistration,
  registeredCodes,
  unknownCode,
} from './registry.ts'

const prefix = 'FeatureManagement__'

/**
 * Returns the argument of `createFeatureFlags`. Reads `FeatureManagement__<Code>` = `true` | `false` for each definition.
 * A feature without a key is off. Reports these problems under the key of the feature: a definition that
 * `createFeatureFlags` rejects, an unregistered code, a code in wrong casing, a value that is not a boolean, and nested
 * keys such as filters or variants. Nested keys are not supported, because a flag is on or off for the whole deployment.
 */
export function readFeatures(
  env: EnvironmentReader,
  definitions: readonly FeatureDefinition[],
): FeatureRegistration {
  for (const [code, message] of definitionProblems(definitions)) env.problem(`${prefix}${code}`, message)
  const values = new Map<string, boolean>()
  const registered = registeredCodes(definitions)
  for (const [key, raw] of env.below(prefix)) {
    const code = key.slice(prefix.length)
    if (!key.startsWith(prefix)) env.problem(key, `wrong casing; the section is ${prefix.slice(0, -2)}`)
    // Registered codes can contain `__`, so a key is nested only if its code is not registered.
    else if (code.includes('__') && !registered.has(code.toLowerCase()))
      env.problem(key, 'a feature is true or false; filters and variants are not supported')
    else if (registered.get(code.toLowerCase()) !== code) env.problem(key, unknownCode(code, registered))
    else if (raw.trim() === '') env.problem(key, 'expected true or false')
    else values.set(code, env.boolean(key, { default: false }))
  }
  return { definitions, values }
}
