import { commonRooms, floorPlan, type TreePlan, treePlan } from './floor-plan.ts'
import type { SourceFile, Workspace } from './repository.ts'

/** A source tree with its plan. */
export interface Tree extends TreePlan {
  /** The path inside the workspace, such as `src` or `src/trade`. */
  readonly path: string
}

/** Returns the trees of a workspace, outer trees first. Returns an empty list if the plan lacks the workspace. */
export function treesOf({ id, isPackage }: Workspace): readonly Tree[] {
  if (!isPackage) return Object.entries(treePlan[id] ?? {}).map(([path, plan]) => ({ ...plan, path }))
  const plan = floorPlan[id]
  if (plan === undefined) return []
  // import-rules.ts checks imports of other packages, in sources and in tests.
  const { imports: _imports, testImports: _testImports, extraRooms, ...rest } = plan
  return [{ ...rest, path: 'src', rooms: [...commonRooms, ...extraRooms], outside: [] }]
}

/** Returns the path segments of a file within a tree, or undefined if the file is outside the tree. */
export function pathWithin({ path }: Tree, segments: readonly string[]): readonly string[] | undefined {
  const folders = path === '.' ? [] : path.split('/')
  const isInside = folders.every((folder, index) => segments[index] === folder)
  return isInside ? segments.slice(folders.length) : undefined
}

/** Returns the room of a path within a tree: a file such as `routes.ts`, or a folder such as `commands/`. */
export function roomAt([top, ...below]: readonly string[]): string {
  return below.length > 0 ? `${top}/` : `${top}`
}

/** Returns whether the names contain the room of this path, its file, or `*.ts` for a file at the top. */
export function isNamed(names: readonly string[], path: readonly string[]): boolean {
  const isAtTop = path.length === 1
  return names.includes(roomAt(path)) || names.includes(path.join('/')) || (isAtTop && names.includes('*.ts'))
}

/** Returns whether a file contains code for browsers. */
export function runsInBrowser({ workspace, segments }: SourceFile): boolean {
  if (workspace === undefined) return false
  return treesOf(workspace).some(
    (tree) => tree.platform === 'browser' && pathWithin(tree, segments) !== undefined,
  )
}
