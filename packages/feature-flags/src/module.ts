import type { KitModule } from '@vertical-kit/core-audit'
import { CoreError, type Guard } from '@vertical-kit/core-audit/http'
import type { Feature } from './contract.ts'
import { contradictions, type FeatureRegistration, freezeFeatures } from './registry.ts'
import { featureRoutes } from './routes.ts'
import { version } from './version.ts'

/** The features of this process, frozen at registration. */
export interface FeatureFlags extends KitModule {
  /** Returns whether a feature is on. Unknown codes are off. */
  isEnabled(code: string): boolean
  /**
   * Returns a guard for endpoints and actions that need at least one of these features.
   * The guard throws {@link CoreError} feature.disabled if all of them are off.
   */
  require(...codes: readonly [string, ...string[]]): Guard
  /**
   * For a component that registers its own features: accepts a registration that repeats all or part of the first
   * one, and changes nothing.
   *
   * @throws {TypeError} naming every feature that is missing in the first registration or differs from it
   */
  registerAgain(registration: FeatureRegistration): void
  readonly features: readonly Feature[]
}

/**
 * Registers all features of the deployment, once. The state never changes while the process runs, so all guards of a
 * process always agree.
 *
 * @throws {TypeError} naming every problem in the definitions and values
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
