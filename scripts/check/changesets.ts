import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Finding } from './finding.ts'

const bumps = ['patch', 'minor', 'major']

/**
 * Checks one changeset. Its front matter must contain a bump for each published package that it names. A sentence for
 * the upgrading user must follow. With empty front matter, the change releases no package.
 */
export function checkChangeset(path: string, text: string, published: readonly string[]): Finding[] {
  const parts = /^---\r?\n(?<frontMatter>[\s\S]*?)^---\r?\n(?<summary>[\s\S]*)$/m.exec(text)?.groups
  if (parts === undefined) return [{ path, message: 'no front matter between two lines of ---' }]
  const findings: Finding[] = []
  for (const [name, bump] of Object.entries(readFrontMatter(parts['frontMatter'] ?? ''))) {
    if (!published.includes(name)) findings.push({ path, message: `${name} is not a published package here` })
    if (!bumps.includes(String(bump))) {
      findings.push({ path, message: `${name}: ${bump} is not one of ${bumps.join(', ')}` })
    }
  }
  if ((parts['summary'] ?? '').trim() === '') {
    findings.push({ path, message: 'no summary: write one sentence for the upgrading user' })
  }
  return findings
}

function readFrontMatter(frontMatter: string): Record<string, unknown> {
  return (parse(frontMatter) as Record<string, unknown> | null) ?? {}
}

/** Checks all changesets in `.changeset/`. */
export function changesetFindings(root: string): Finding[] {
  const published = globSync('packages/*/package.json', { cwd: root })
    .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string; private?: boolean })
    .filter((manifest) => manifest.private !== true)
    .map((manifest) => manifest.name)
  return globSync('.changeset/*.md', { cwd: root })
    .filter((path) => !path.endsWith('README.md'))
    .flatMap((path) => checkChangeset(path, readFileSync(join(root, path), 'utf8'), published))
}
