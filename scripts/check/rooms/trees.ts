import { commonRooms, floorPlan, type TreePlan, treePlan } from './floor-plan.ts'
import type { SourceFile, Workspace } from './repository.ts'

/** A tree of sources with its place in the plan. */
export interface Tree extends TreePlan {
  /** From the workspace: `src`, `src/trade`. */
  readonly path: string
}

/** The trees of a workspace, each before those within it; none when the plan does not know the workspace. */
export function treesOf({ id, isPackage }: Workspace): readonly Tree[] {
  if (!isPackage) return Object.entries(treePlan[id] ?? {}).map(([path, plan]) => ({ ...plan, path }))
  const plan = floorPlan[id]
  if (plan === undefined) return []
  // What a package's sources may import of others: import-rules.ts, which knows tests too.
  const { imports: _imports, testImports: _testImports, extraRooms, ...rest } = plan
  return [{ ...rest, path: 'src', rooms: [...commonRooms, ...extraRooms], outside: [] }]
}

/** The path of a file within a tree, in segments; undefined when it lies elsewhere. */
export function pathWithin({ path }: Tree, segments: readonly string[]): readonly string[] | undefined {
  const folders = path === '.' ? [] : path.split('/')
  const isInside = folders.every((folder, index) => segments[index] === folder)
  return isInside ? segments.slice(folders.length) : undefined
}

/** The room of a path within a tree: `routes.ts`, or `commands/` for a file inside that folder. */
export function roomAt([top, ...below]: readonly string[]): string {
  return below.length > 0 ? `${top}/` : `${top}`
}

/** Whether names of the plan stand for this path: its room, the file itself, or `*.ts` for a file at the top. */
export function isNamed(names: readonly string[], path: readonly string[]): boolean {
  const isAtTop = path.length === 1
  return names.includes(roomAt(path)) || names.includes(path.join('/')) || (isAtTop && names.includes('*.ts'))
}

/** Whether a file is code for browsers. */
export function runsInBrowser({ workspace, segments }: SourceFile): boolean {
  if (workspace === undefined) return false
  return treesOf(workspace).some(
    (tree) => tree.platform === 'browser' && pathWithin(tree, segments) !== undefined,
  )
}
