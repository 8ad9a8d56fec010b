import type { EnvironmentReader } from '../environment.ts'

/** Limits of a process with many tenants. */
export interface TenantsConfig {
  /**
   * Maximum number of tenants that are open at the same time. Each of them uses at most `poolMax` connections, and one more
   * while pages listen.
   */
  readonly maxOpen: number
  /** A tenant closes when it has had no request and no socket for this time, and no work is due. */
  readonly idleAfterMs: number
  /**
   * The time between two visits of a closed tenant, which find the work that other processes have added. A tenant that cannot
   * be opened is visited less often: the pause doubles from 1 s up to this time.
   */
  readonly visitIntervalMs: number
}

/** The result of {@link readTenantsConfig} for an empty environment. */
export const tenantsDefaults: TenantsConfig = { maxOpen: 50, idleAfterMs: 60_000, visitIntervalMs: 60_000 }

/** Reads `Tenants__MaxOpen` (50), `Tenants__IdleAfter` (1 minute) and `Tenants__VisitInterval` (1 minute). */
export function readTenantsConfig(env: EnvironmentReader): TenantsConfig {
  const { maxOpen, idleAfterMs, visitIntervalMs } = tenantsDefaults
  const bounds = { min: 1_000, max: 86_400_000 }
  return {
    maxOpen: env.integer('Tenants__MaxOpen', { default: maxOpen, min: 1, max: 10_000 }),
    idleAfterMs: env.durationMs('Tenants__IdleAfter', { default: idleAfterMs, ...bounds }),
    visitIntervalMs: env.durationMs('Tenants__VisitInterval', { default: visitIntervalMs, ...bounds }),
  }
}
