import type { KitModule } from '@vertical-kit/core-audit'
import { CoreError, type Guard } from '@vertical-kit/core-audit/http'
import type { Feature } from './contract.ts'
import { contradictions, type FeatureRegistration, freezeFeatures } from './registry.ts'
import { featureRoutes } from './routes.ts'
import { version } from './version.ts'

/** The registered features of this process. Their states never change. */
export interface FeatureFlags extends KitModule {
  /** Returns whether the feature with this code is on. Returns false for unknown codes. */
  isEnabled(code: string): boolean
  /**
   * Returns a guard for endpoints and actions that need at least one of these features.
   * The guard throws {@link CoreError} feature.disabled if all these features are off.
   *
   * @throws {TypeError} at once, if a code is not registered in exactly this casing; names the registered features
   */
  require(...codes: readonly [string, ...string[]]): Guard
  /**
   * Checks a registration against the first registration, and changes nothing. A component that registers its own
   * features can call this. The registration must repeat all or some features of the first registration.
   *
   * @throws {TypeError} if a feature is missing in the first registration or differs from it; names each such feature
   */
  registerAgain(registration: FeatureRegistration): void
  readonly features: readonly Feature[]
}

/**
 * Registers all features of the deployment. A host calls this once. The states never change while the process runs, so
 * all guards of a process use the same state.
 *
 * @throws {TypeError} if a definition or value is invalid; the message lists every problem
 */
export function createFeatureFlags(registration: FeatureRegistration): FeatureFlags {
  const frozen = freezeFeatures(registration)
  const features = Object.freeze([...frozen.values()])
  const isEnabled = (code: string): boolean => frozen.get(code)?.enabled ?? false
  return {
    name: '@vertical-kit/feature-flags',
    version,
    router: featureRoutes(features),
    features,
    isEnabled,
    require: (...codes) => {
      const unknown = codes.find((code) => !frozen.has(code))
      if (unknown !== undefined) {
        throw new TypeError(`${unknown} is not a feature; the features are: ${[...frozen.keys()].join(', ')}`)
      }
      const isOpen = codes.some(isEnabled)
      return () => {
        if (!isOpen) throw new CoreError('feature.disabled')
      }
    },
    registerAgain(other) {
      const problems = contradictions(frozen, freezeFeatures(other))
      if (problems.length > 0)
        throw new TypeError(`A later registration cannot change features:\n${problems.join('\n')}`)
    },
  }
}
