import { readSourceFacts, type SourceFacts } from './source-facts.ts'
import type { SourceTree } from './source-tree.ts'

/** A folder with its own package.json. Files outside these folders belong to no workspace. */
export interface Workspace {
  /** The path from the root, such as `packages/notes`, `apps/demo-host` or `benchmarks`. */
  folder: string
  /** The name of the folder, which is also its key in the floor plan. */
  id: string
  /** The package name in imports. */
  name: string
  isPackage: boolean
  /** The keys of `exports`, such as `.` and `./contract`. */
  exports: readonly string[]
}

/** One TypeScript file. */
export interface SourceFile {
  path: string
  workspace: Workspace | undefined
  /** The segments of the path, such as `['src', 'routes.ts']`: inside the workspace, or from the root without one. */
  segments: readonly string[]
  facts: SourceFacts
}

/** The input of all rules. */
export interface Repository {
  paths: ReadonlySet<string>
  workspaces: readonly Workspace[]
  files: readonly SourceFile[]
}

/** Groups the files of a tree by workspace and parses its TypeScript files. */
export function describeRepository(tree: SourceTree): Repository {
  const workspaces = [...tree].filter(([path]) => path.endsWith('/package.json')).map(describeWorkspace)
  const files = [...tree]
    .filter(([path]) => path.endsWith('.ts'))
    .map(([path, text]) => {
      const workspace = workspaceOf(path, workspaces)
      const inside = workspace === undefined ? path : path.slice(workspace.folder.length + 1)
      return { path, workspace, segments: inside.split('/'), facts: readSourceFacts(path, text) }
    })
  return { paths: new Set(tree.keys()), workspaces, files }
}

function describeWorkspace([path, text]: [string, string]): Workspace {
  const manifest = JSON.parse(text) as { name: string; exports?: Record<string, unknown> }
  const folder = path.slice(0, -'/package.json'.length)
  return {
    folder,
    id: folder.slice(folder.lastIndexOf('/') + 1),
    name: manifest.name,
    isPackage: folder.startsWith('packages/'),
    exports: Object.keys(manifest.exports ?? {}),
  }
}

/** Returns the workspace of a path. Returns undefined if the path belongs to no workspace. */
export function workspaceOf(path: string, workspaces: readonly Workspace[]): Workspace | undefined {
  return workspaces.find(({ folder }) => path.startsWith(`${folder}/`))
}

/** Returns whether a file belongs to the sources of a package. Tests and setup files do not belong to the sources. */
export function isPackageSource({ workspace, segments }: SourceFile): boolean {
  return workspace?.isPackage === true && segments[0] === 'src'
}
