import { readSourceFacts, type SourceFacts } from './source-facts.ts'
import type { SourceTree } from './source-tree.ts'

/** A folder with a package.json of its own. Files outside all of these belong to no workspace. */
export interface Workspace {
  /** From the root: `packages/notes`, `apps/demo-host`, `benchmarks`. */
  folder: string
  /** The folder's own name, as the floor plan has it. */
  id: string
  /** As others import it. */
  name: string
  isPackage: boolean
  /** The keys of `exports`: `.`, `./contract`. */
  exports: readonly string[]
}

/** One TypeScript file. */
export interface SourceFile {
  path: string
  workspace: Workspace | undefined
  /** The path inside the workspace (from the root, where there is none), in segments: `['src', 'routes.ts']`. */
  segments: readonly string[]
  facts: SourceFacts
}

/** What the rules are asked about. */
export interface Repository {
  paths: ReadonlySet<string>
  workspaces: readonly Workspace[]
  files: readonly SourceFile[]
}

/** Sorts a tree of files into workspaces and parses the TypeScript in it. */
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

/** The workspace that holds a path, if one does. */
export function workspaceOf(path: string, workspaces: readonly Workspace[]): Workspace | undefined {
  return workspaces.find(({ folder }) => path.startsWith(`${folder}/`))
}

/** Whether a file is part of a package that others install, and not its tests or its set-up. */
export function isPackageSource({ workspace, segments }: SourceFile): boolean {
  return workspace?.isPackage === true && segments[0] === 'src'
}
