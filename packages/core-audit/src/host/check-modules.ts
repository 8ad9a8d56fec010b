import { CoreError, type ErrorTable } from '../errors.ts'
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
 * Checks that modules fit together before any of them starts. `createApplication` and `startHost` call this function; an
 * application that mounts the routers itself must also call it.
 *
 * A package cannot check the release of its own kernel. If its version range excludes the installed kernel, the package
 * manager installs a second kernel of the package's release, and a check inside the package would pass. Only the host sees
 * the releases of all packages.
 *
 * @throws {TypeError} with one line for each problem: a package of another release, a name, a permission, a health entry
 *   or an error code that is registered twice, or a module with permissions, audit events or a count that no function gathers
 */
export function checkModules(modules: readonly KitModule[]): void {
  refuse([...mismatches(modules), ...forgotten(modules)])
}

/**
 * Checks the modules of a background host. Such a host runs only their workers, so no function gathers their contributions.
 *
 * @throws {TypeError} with one line for each problem: a package of another release, or a name, a permission, a health entry
 *   or an error code that is registered twice
 */
export function checkBackgroundModules(modules: readonly KitModule[]): void {
  refuse(mismatches(modules))
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`These modules do not fit together:\n${problems.join('\n')}`)
}

const mismatches = (modules: readonly KitModule[]): readonly string[] => [
  ...mixedReleases(modules),
  ...repeatedNames(modules),
  ...repeatedPermissions(modules),
  ...repeatedHealth(modules),
  ...repeatedErrors(modules),
]

function mixedReleases(modules: readonly KitModule[]): readonly string[] {
  return modules
    .filter((module) => module.version !== undefined && module.version !== version)
    .map(
      (module) =>
        `${module.name} is ${module.version} and @vertical-kit/core-audit is ${version}; install one release of all packages`,
    )
}

function repeatedNames(modules: readonly KitModule[]): readonly string[] {
  const names = modules.map(({ name }) => name)
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...repeated].map((name) => `${name} is registered twice`)
}

function repeatedPermissions(modules: readonly KitModule[]): readonly string[] {
  return repeated(
    modules.flatMap(({ name, permissions = [] }) =>
      permissions.map(({ permission }) => ({ name, registered: permission })),
    ),
  )
}

/** The entries that each host has without a module. `/health/ready` depends on `database`. */
const ofHost = ['database', 'clock'].map((registered) => ({ name: 'the host', registered }))

/** `/health` would show only one of two entries with the same name. */
function repeatedHealth(modules: readonly KitModule[]): readonly string[] {
  const ofModules = modules.flatMap(({ name, health = [] }) =>
    health.map((check) => ({ name, registered: check.name })),
  )
  return repeated([...ofHost, ...ofModules]).map((problem) => `the health entry ${problem}`)
}

/** The API description would explain only one of two errors with the same code. Several modules can list the same errors. */
function repeatedErrors(modules: readonly KitModule[]): readonly string[] {
  const owners = new Map<ErrorTable, string>([[CoreError.table, 'the kernel']])
  for (const { name, errors = [] } of modules) {
    for (const { table } of errors) if (!owners.has(table)) owners.set(table, name)
  }
  const all = [...owners].flatMap(([table, name]) =>
    Object.keys(table).map((registered) => ({ name, registered })),
  )
  return repeated(all).map((problem) => `the error code ${problem}`)
}

/** Something that a module has registered. */
interface Registered {
  /** The name of the module. */
  readonly name: string
  readonly registered: string
}

function repeated(all: readonly Registered[]): readonly string[] {
  return [...Map.groupBy(all, ({ registered }) => registered)]
    .filter(([, places]) => places.length > 1)
    .map(([registered, places]) => {
      const names = places.map(({ name }) => name)
      return `${registered} is registered twice: by ${names.join(' and ')}`
    })
}

function forgotten(modules: readonly KitModule[]): readonly string[] {
  return contributions.flatMap(({ kind, description, gatherer, isMadeBy }) => {
    const gathering = modules.filter(({ gathers }) => gathers?.contribution === kind)
    // Without `createIdentity`, the application itself grants permissions.
    if (kind === 'permissions' && gathering.length === 0) return []
    const given = new Set(gathering.flatMap((module) => [module, ...(module.gathers?.modules ?? [])]))
    return modules
      .filter((module) => isMadeBy(module) && !given.has(module))
      .map(({ name }) => `${name} has ${description}; pass the module to ${gatherer}`)
  })
}
