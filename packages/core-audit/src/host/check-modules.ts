import type { Gathered, KitModule } from '../module.ts'
import { version } from '../version.ts'

interface Contribution {
  readonly kind: Gathered['contribution']
  readonly description: string
  /** The function that gathers contributions of this kind. */
  readonly gatherer: string
  isMadeBy(module: KitModule): boolean
}

const contributions: readonly Contribution[] = [
  {
    kind: 'permissions',
    description: 'permissions',
    gatherer: 'createIdentity',
    isMadeBy: ({ permissions = [] }) => permissions.length > 0,
  },
  {
    kind: 'auditSource',
    description: 'audit events',
    gatherer: 'auditTimeline',
    isMadeBy: ({ auditSource }) => auditSource !== undefined,
  },
  {
    kind: 'counter',
    description: 'a count',
    gatherer: 'contentSummary',
    isMadeBy: ({ counter }) => counter !== undefined,
  },
]

/**
 * Checks that a set of modules fits together, before anything starts. `createApplication` and `startHost` call it; an
 * application that mounts routers without them must call it itself.
 *
 * A package does not check its kernel when it is created. If its version range excludes the installed kernel, the package
 * manager installs a second kernel of the package's own release, and a check inside the package would pass. Only the
 * composition sees all releases.
 *
 * @throws {TypeError} naming every package of another release, every name and every permission registered twice, and every
 *   module with permissions, audit events or a count that no function gathers
 */
export function checkModules(modules: readonly KitModule[]): void {
  refuse([...mismatches(modules), ...forgotten(modules)])
}

/**
 * Checks the modules of a background host. It runs only their workers, so their contributions need no gatherer.
 *
 * @throws {TypeError} naming every package of another release, and every name and every permission registered twice
 */
export function checkBackgroundModules(modules: readonly KitModule[]): void {
  refuse(mismatches(modules))
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`These modules do not fit together:\n${problems.join('\n')}`)
}

const mismatches = (modules: readonly KitModule[]): readonly string[] => [
  ...mixedReleases(modules),
  ...[...repeated(modules.map(({ name }) => name)), ...repeated(permissionsOf(modules))].map(
    (name) => `${name} is registered twice`,
  ),
]

function mixedReleases(modules: readonly KitModule[]): readonly string[] {
  return modules
    .filter((module) => module.version !== undefined && module.version !== version)
    .map(
      (module) =>
        `${module.name} is ${module.version} and @vertical-kit/core-audit is ${version}; install one release of all packages`,
    )
}

const permissionsOf = (modules: readonly KitModule[]): readonly string[] =>
  modules.flatMap(({ permissions = [] }) => permissions.map(({ permission }) => permission))

function forgotten(modules: readonly KitModule[]): readonly string[] {
  return contributions.flatMap(({ kind, description, gatherer, isMadeBy }) => {
    const gathering = modules.filter(({ gathers }) => gathers?.contribution === kind)
    // An application with its own identity grants permissions itself.
    if (kind === 'permissions' && gathering.length === 0) return []
    const given = new Set(gathering.flatMap((module) => [module, ...(module.gathers?.modules ?? [])]))
    return modules
      .filter((module) => isMadeBy(module) && !given.has(module))
      .map(({ name }) => `${name} has ${description}; pass the module to ${gatherer}`)
  })
}

const repeated = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
]
