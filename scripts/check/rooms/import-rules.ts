import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { floorPlan, testPackage } from './floor-plan.ts'
import {
  isPackageSource,
  type Repository,
  type SourceFile,
  type Workspace,
  workspaceOf,
} from './repository.ts'
import type { ImportFact } from './source-facts.ts'

const scope = '@vertical-kit/'

/** Who may import whom, and only through the front door. */
export function importFindings({ workspaces, files }: Repository): Finding[] {
  return files.flatMap((file) =>
    file.facts.imports.flatMap((imported) => {
      const message = checkImport(file, imported, workspaces)
      return message === undefined ? [] : [{ path: file.path, line: imported.line, message }]
    }),
  )
}

function checkImport(file: SourceFile, { specifier }: ImportFact, workspaces: readonly Workspace[]) {
  if (specifier.startsWith('.')) return checkRelative(file, specifier, workspaces)
  if (specifier.startsWith(scope)) return checkOwn(file, specifier, workspaces)
  return undefined
}

function checkRelative(file: SourceFile, specifier: string, workspaces: readonly Workspace[]) {
  const target = posix.join(posix.dirname(file.path), specifier)
  const reached = workspaceOf(target, workspaces)
  if (reached !== undefined && reached !== file.workspace) {
    return `${specifier} reaches into ${reached.folder}; import ${reached.name}`
  }
  if (isPackageSource(file) && reached === undefined) {
    return `${specifier} leaves the package; what it reaches is not in the published tarball`
  }
  return undefined
}

function checkOwn(file: SourceFile, specifier: string, workspaces: readonly Workspace[]) {
  const target = workspaces.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (target === undefined) return `${specifier}: there is no such package here`
  const subpath = `.${specifier.slice(target.name.length)}`
  if (subpath === './schema/internal' && file.workspace !== target) {
    return `the tables of ${specifier} are its own; read through ${target.name}/schema`
  }
  if (!target.exports.includes(subpath)) {
    return `${specifier} is not a way into ${target.id}; it exports ${target.exports.join(', ') || 'nothing'}`
  }
  return checkDirection(file, target)
}

function checkDirection(file: SourceFile, target: Workspace): string | undefined {
  const from = file.workspace
  if (from === undefined || !from.isPackage) return undefined
  const isSource = isPackageSource(file)
  if (from === target) {
    return isSource ? `a package does not import itself by name; use a relative path` : undefined
  }
  const { imports: allowed = [], testImports = [] } = floorPlan[from.id] ?? {}
  if (allowed.includes(target.id) || (!isSource && testImports.includes(target.id))) return undefined
  if (target.id !== testPackage) {
    return `${from.id} may import ${allowed.join(', ') || 'no other package'}, not ${target.id}`
  }
  return isSource
    ? `${testPackage} is for tests and local runs; a package's sources do without it`
    : undefined
}
