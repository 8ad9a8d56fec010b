import { auditPartitionsHealth } from '../audit/partition-upkeep.ts'
import type { Database } from '../database/database.ts'
import type { KitModule } from '../module.ts'
import { otherConsumersHealth } from '../outbox/other-consumers.ts'
import { clockHealth } from './clock-health.ts'
import { databaseHealth } from './database-health.ts'
import type { HealthCheck } from './health.ts'

/** The parts of a host that have health. */
export interface CheckedHost {
  readonly database: Database
  readonly modules: readonly KitModule[]
  /** Checks of the host itself, in addition to those of the database and the modules. */
  readonly health?: readonly HealthCheck[]
}

/**
 * Returns the checks of a host: those of its database, its clock, the audit log and the consumers of other hosts, its own and
 * those of its modules.
 */
export function hostChecks({ database, modules, health = [] }: CheckedHost): readonly HealthCheck[] {
  const ofModules = modules.flatMap((module) => module.health ?? [])
  const ofKit = [
    ...[databaseHealth(database, modules), clockHealth(database)],
    ...[auditPartitionsHealth(database), otherConsumersHealth(database, modules)],
  ]
  return [...ofKit, ...health, ...ofModules]
}
