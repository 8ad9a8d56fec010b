import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Finding } from './finding.ts'

const lockfile = 'pnpm-lock.yaml'

/** The platforms of contributors, CI and hosts. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64']

// Package names contain different spellings: @turbo/windows-64, binding-win32-x64-msvc, cli-linux-arm64-musl.
const operatingSystems: Record<string, string> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'win32',
  windows: 'win32',
}
const architectures: Record<string, string> = { x64: 'x64', '64': 'x64', arm64: 'arm64' }

/** Returns the platform in the name of a binary package. Returns undefined if it is not one of our platforms. */
export function platformOf(packageName: string): string | undefined {
  const words = packageName.split(/[/-]/)
  const system = words.map((word) => operatingSystems[word]).find((found) => found !== undefined)
  const architecture = words.map((word) => architectures[word]).find((found) => found !== undefined)
  const platform = `${system}-${architecture}`
  return platforms.includes(platform) ? platform : undefined
}

interface Parent {
  /** `name@version`, which is also a key of `packages` in the lockfile. */
  id: string
  /** The optional dependencies in the package's manifest. The lockfile can lack some of them. */
  optionalDependencies: Record<string, string>
}

/**
 * Finds binaries for our platforms that a package declares as optional dependencies and the lockfile does not contain.
 *
 * pnpm omits an optional dependency from the lockfile without a warning if a registry does not list it. On that
 * platform, the tool is then installed without its binary.
 */
export function missingBinaries(lockedIds: readonly string[], parents: readonly Parent[]): Finding[] {
  const locked = new Set(lockedIds)
  return parents.flatMap(({ id, optionalDependencies }) =>
    Object.entries(optionalDependencies).flatMap(([name, range]) => {
      const platform = platformOf(name)
      if (platform === undefined || isLocked(locked, name, range)) return []
      const message = `${id} has no ${name}@${range}: the binary for ${platform} is missing; pin a version that has it`
      return [{ path: lockfile, message }]
    }),
  )
}

function isLocked(locked: ReadonlySet<string>, name: string, range: string): boolean {
  if (/^\d/.test(range)) return locked.has(`${name}@${range}`)
  return [...locked].some((id) => id.startsWith(`${name}@`))
}

interface Lockfile {
  packages: Record<string, unknown>
  /** Contains one entry for each package and set of peers. Its keys are like `name@version(peer@version)`. */
  snapshots: Record<string, { optional?: boolean }>
}

/**
 * Checks the lockfile with the manifests of the installed packages. Reports a package that every platform needs but that
 * is not installed, because the check cannot read its manifest.
 */
export function lockfileFindings(root: string): Finding[] {
  const { packages, snapshots } = parse(readFileSync(join(root, lockfile), 'utf8')) as Lockfile
  const neededEverywhere = new Set(
    Object.entries(snapshots).flatMap(([id, { optional }]) =>
      optional === true ? [] : [id.replace(/\(.*$/, '')],
    ),
  )
  const installed = readInstalled(root)
  const findings: Finding[] = []
  const parents: Parent[] = []
  for (const id of Object.keys(packages)) {
    const optionalDependencies = installed.get(id)
    if (optionalDependencies !== undefined) parents.push({ id, optionalDependencies })
    else if (neededEverywhere.has(id)) {
      findings.push({ path: lockfile, message: `${id} is not installed; run pnpm install and check again` })
    }
  }
  return [...findings, ...missingBinaries(Object.keys(packages), parents)]
}

interface Manifest {
  name: string
  version: string
  optionalDependencies?: Record<string, string>
}

/** Reads the optional dependencies of all installed packages. The keys are `name@version`. */
function readInstalled(root: string): Map<string, Record<string, string>> {
  const store = join(root, 'node_modules', '.pnpm')
  const manifests = globSync('*/node_modules/{*,@*/*}/package.json', { cwd: store }).map(
    (path) => JSON.parse(readFileSync(join(store, path), 'utf8')) as Manifest,
  )
  return new Map(
    manifests.map(({ name, version, optionalDependencies }) => [
      `${name}@${version}`,
      optionalDependencies ?? {},
    ]),
  )
}
