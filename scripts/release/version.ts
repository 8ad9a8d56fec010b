/**
 * Implements `pnpm release:version`: changesets raises the version of all packages and writes their changelogs. If the
 * current version is not published yet, the script keeps the version and adds the sentences to its entries.
 */
import { execFileSync, execSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinEntries } from './changelog-entries.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const manifests = globSync('packages/*/package.json', { cwd: root }).map((path) => ({
  path,
  text: read(path),
}))
const { version } = JSON.parse(manifests[0]?.text ?? '{}') as { readonly version: string }

if (git('rev-parse', '--is-shallow-repository') === 'true') {
  throw new Error(
    'A shallow clone has no tags, so the published versions are unknown. Clone the complete repository.',
  )
}
// `changeset publish` sets one tag for each package.
const isPublished = git('tag', '--list', `@vertical-kit/*@${version}`) !== ''
if (!isPublished) {
  // If the current version is 2.0.0-0, every kind of bump results in 2.0.0.
  for (const { path, text } of manifests) {
    writeFileSync(join(root, path), text.replace(`"version": "${version}"`, `"version": "${version}-0"`))
  }
}
try {
  // Use a shell, because the tools in node_modules/.bin are .cmd files on Windows.
  execSync('changeset version', { cwd: root, stdio: 'inherit' })
} catch (error) {
  for (const { path, text } of manifests) writeFileSync(join(root, path), text)
  throw error
}
for (const path of globSync('packages/*/CHANGELOG.md', { cwd: root })) {
  writeFileSync(join(root, path), joinEntries(read(path), version))
}
