import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { emptyNames, floorPlan } from './floor-plan.ts'
import type { Repository, SourceFile, Workspace } from './repository.ts'
import { isNamed, pathWithin, roomAt, type Tree, treesOf } from './trees.ts'

const plan = 'scripts/check/rooms/floor-plan.ts'

/** Reports missing rooms, unknown rooms, outdated entries of the plan and vague names. */
export function layoutFindings({ paths, workspaces, files }: Repository): Finding[] {
  return [
    ...workspaces.flatMap((workspace) => checkWorkspace(workspace, paths)),
    ...workspaces.flatMap((workspace) =>
      checkRooms(
        workspace,
        files.filter((file) => file.workspace === workspace),
      ),
    ),
    ...files.flatMap(checkName),
  ]
}

function checkWorkspace(workspace: Workspace, paths: ReadonlySet<string>): Finding[] {
  const { folder, isPackage } = workspace
  const required = isPackage ? ['README.md', 'CHANGELOG.md', 'src/index.ts'] : []
  const missing = required
    .map((room) => `${folder}/${room}`)
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, message: 'missing; every package needs one' }))
  if (treesOf(workspace).length > 0) return missing
  return [...missing, { path: folder, message: `not in the floor plan; add it to ${plan}` }]
}

function checkRooms(workspace: Workspace, files: readonly SourceFile[]): Finding[] {
  const trees = treesOf(workspace)
  if (trees.length === 0) return []
  return [
    ...checkTrees(workspace, trees, files),
    ...trees.flatMap((tree) => checkKnown(workspace, tree, files)),
    ...trees.flatMap((tree) => checkPresent(workspace, tree, files)),
  ]
}

/** Checks that every source is in a planned tree. Tests, and configuration at the top of a workspace, are exempt. */
function checkTrees({ folder }: Workspace, trees: readonly Tree[], files: readonly SourceFile[]): Finding[] {
  const elsewhere = files
    .filter(({ segments }) => segments.length > 1 && segments[0] !== 'test')
    .filter(({ segments }) => trees.every((tree) => pathWithin(tree, segments) === undefined))
    .map(({ segments }) => `${folder}/${roomAt(segments)}`)
  return [...new Set(elsewhere)].map((path) => ({
    path,
    message: `not in the floor plan; add it to ${plan}`,
  }))
}

function checkKnown({ id, folder }: Workspace, tree: Tree, files: readonly SourceFile[]): Finding[] {
  const unknown = files
    .flatMap(({ segments }) => [pathWithin(tree, segments) ?? []])
    .filter((path) => path.length > 0 && !isNamed(tree.rooms, path))
    .map(roomAt)
  const message = `not a room of ${id}; move it to an existing room or add it to the floor plan`
  return [...new Set(unknown)].map((room) => ({ path: posix.join(folder, tree.path, room), message }))
}

/** Checks that the rooms and files exist that the plan lists for this workspace only. Common rooms are optional. */
function checkPresent({ id, folder }: Workspace, tree: Tree, files: readonly SourceFile[]): Finding[] {
  const { path, outside = [], roomImports = {} } = tree
  const rooms = floorPlan[id]?.extraRooms ?? tree.rooms
  const inTree = [...rooms, ...Object.keys(roomImports), ...Object.values(roomImports).flat()]
    .filter((name) => name !== '*.ts')
    .map((name) => posix.join(path, name))
  return [...new Set([...inTree, ...outside])]
    .filter((name) => !files.some(({ segments }) => isAt(name, segments.join('/'))))
    .map((name) => ({
      path: `${folder}/${name}`,
      message: `in the floor plan, but missing; remove it from ${plan}`,
    }))
}

const isAt = (name: string, path: string): boolean =>
  path === name || (name.endsWith('/') && path.startsWith(name))

function checkName({ path, segments }: SourceFile): Finding[] {
  const vague = segments
    .map((segment) => segment.replace(/\..*$/, ''))
    .find((name) => emptyNames.includes(name))
  if (vague === undefined) return []
  return [{ path, message: `"${vague}" is too vague; name it after its one concept` }]
}
