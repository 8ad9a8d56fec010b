import type { Hono } from 'hono'
import type { MigrationPack } from './database/migration-files.ts'
import type { ErrorTable } from './errors.ts'
import type { HealthCheck } from './health/health.ts'
import type { KitEnv } from './http/environment.ts'
import type { Worker } from './workers.ts'

/** The release every package of one train carries. A mixed set refuses to start. */
export const releaseTrain = '2.0.0'

/** Something a role may be granted: `<resourceKind>.<resourceCode>.<action>`. */
export interface PermissionDefinition {
  readonly permission: string
  readonly displayName: string
  readonly group: string
  readonly description: string
}

/** What every `createX({...})` returns: the parts of one package a host mounts. */
export interface KitModule {
  readonly name: string
  readonly version: string
  /** Mounted at the root: its paths are whole. */
  readonly router?: Hono<KitEnv>
  readonly permissions: readonly PermissionDefinition[]
  /** Its error classes, for the API description. */
  readonly errors?: readonly { readonly table: ErrorTable }[]
  /** Applied by the migrator before a host starts, whatever the flags say. */
  readonly migrations?: MigrationPack
  /** Started by the host, explicitly. */
  readonly workers?: readonly Worker[]
  readonly health?: readonly HealthCheck[]
}

/**
 * Checks that a set of modules belongs together, before anything starts.
 * @throws {TypeError} naming every package of another release, every name and every permission registered twice
 */
export function checkModules(modules: readonly KitModule[]): void {
  const problems: string[] = []
  for (const module of modules) {
    if (module.version !== releaseTrain) {
      problems.push(`${module.name} is ${module.version}; update all packages to ${releaseTrain} together`)
    }
  }
  const names = modules.map((module) => module.name)
  const permissions = modules.flatMap((module) => module.permissions.map(({ permission }) => permission))
  for (const twice of [...repeated(names), ...repeated(permissions)])
    problems.push(`${twice} is registered twice`)
  if (problems.length > 0) throw new TypeError(`These modules do not fit together:\n${problems.join('\n')}`)
}

const repeated = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
]
