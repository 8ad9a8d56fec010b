import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** The text of each file, by its path from the repository root. Paths contain `/` on every system. */
export type SourceTree = ReadonlyMap<string, string>

const patterns = [
  '*.ts',
  '{packages,apps}/*/{package.json,README.md,CHANGELOG.md}',
  '{benchmarks,examples}/package.json',
  '{packages,apps,benchmarks,examples,scripts}/**/*.ts',
]

const notOurs = new Set(['node_modules', 'dist'])

/** Reads the files that the rules check. Ignores installed and built files. */
export function readSourceTree(root: string): SourceTree {
  const paths = globSync(patterns, { cwd: root, exclude: (path) => notOurs.has(lastSegment(path)) })
  return new Map(
    paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')] as const),
  )
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1)
}
