import type { KitModule } from '@vertical-kit/core-audit'
import { CoreError, type Guard } from '@vertical-kit/core-audit/http'
import type { Feature } from './contract.ts'
import { contradictions, type FeatureRegistration, freezeFeatures } from './registry.ts'
import { featureRoutes } from './routes.ts'
import { version } from './version.ts'

/** The features of this process, frozen when they were registered. */
export interface FeatureFlags extends KitModule {
  /** Whether a feature is on. An unknown code counts as off. */
  isEnabled(code: string): boolean
  /**
   * A guard for endpoints and actions that need at least one of several features.
   * The guard throws {@link CoreError} feature.disabled.
   */
  require(...codes: readonly [string, ...string[]]): Guard
  /**
   * For a part that registers its features by itself: what the first registration said may be said again, in whole
   * or in part, and changes nothing.
   *
   * @throws {TypeError} naming every feature that the first registration did not have, or had otherwise
   */
  registerAgain(registration: FeatureRegistration): void
  readonly features: readonly Feature[]
}

/**
 * Registers every feature of the deployment, once. There is no run-time switch: what is on stays on until the process
 * ends, so that all guards of one process always agree.
 *
 * @throws {TypeError} naming everything that is wrong with the definitions and values
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
        throw new TypeError(`Features are registered once, at the start:\n${problems.join('\n')}`)
    },
  }
}
