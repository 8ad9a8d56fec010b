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
import { isNamed, pathWithin, roomAt, type Tree, treesOf } from './trees.ts'

const scope = '@vertical-kit/'

/** Checks that imports between packages follow the allowed direction and use only the front door. */
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
    return `${specifier} leaves the package; the published tarball does not contain that file`
  }
  return reached === undefined ? undefined : checkRooms(file, target.slice(reached.folder.length + 1))
}

/** Checks the direction of imports between the rooms of a workspace. */
function checkRooms({ workspace, segments }: SourceFile, target: string): string | undefined {
  if (workspace === undefined) return undefined
  for (const tree of treesOf(workspace)) {
    const from = pathWithin(tree, segments)
    const message = from && checkRoom(tree, from, target)
    if (message !== undefined) return message
  }
  return undefined
}

function checkRoom(tree: Tree, from: readonly string[], target: string): string | undefined {
  const { path, outside, roomImports = {} } = tree
  const to = pathWithin(tree, target.split('/'))
  if (to === undefined) {
    if (outside === undefined || outside.includes(target)) return undefined
    return `${path}/ can import ${outside.join(', ') || 'nothing'} from outside, not ${target}`
  }
  const room = roomAt(from)
  const allowed = roomImports[room]
  if (allowed === undefined || roomAt(to) === room || isNamed(allowed, to)) return undefined
  return `${room} can import ${allowed.join(', ') || 'no other room'}, not ${to.join('/')}`
}

function checkOwn(file: SourceFile, specifier: string, workspaces: readonly Workspace[]) {
  const target = workspaces.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (target === undefined) return `${specifier}: the package does not exist in this repository`
  const subpath = `.${specifier.slice(target.name.length)}`
  if (subpath === './schema/internal' && file.workspace !== target) {
    return `the tables of ${specifier} are internal; read through ${target.name}/schema`
  }
  if (!target.exports.includes(subpath)) {
    return `${specifier} is not an export of ${target.id}; its exports are ${target.exports.join(', ') || 'nothing'}`
  }
  return checkDirection(file, target)
}

function checkDirection(file: SourceFile, target: Workspace): string | undefined {
  const from = file.workspace
  if (from === undefined) return undefined
  if (!from.isPackage) return checkTreeDirection(from, file.segments, target)
  const isSource = isPackageSource(file)
  if (from === target) {
    return isSource ? `a package does not import itself by name; use a relative path` : undefined
  }
  const { imports: allowed = [], testImports = [] } = floorPlan[from.id] ?? {}
  if (allowed.includes(target.id) || (!isSource && testImports.includes(target.id))) return undefined
  if (target.id !== testPackage) {
    return `${from.id} can import ${allowed.join(', ') || 'no other package'}, not ${target.id}`
  }
  return isSource
    ? `${testPackage} is for tests and local runs; sources of a package must not import it`
    : undefined
}

function checkTreeDirection(from: Workspace, segments: readonly string[], target: Workspace) {
  const tree = treesOf(from).find(
    (tree) => tree.imports !== undefined && pathWithin(tree, segments) !== undefined,
  )
  if (tree?.imports === undefined || tree.imports.includes(target.id)) return undefined
  return `${tree.path}/ of ${from.id} can import ${tree.imports.join(', ')}, not ${target.id}`
}
