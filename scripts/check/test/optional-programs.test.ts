import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findOptionalPrograms } from '../../../vitest.optional-programs.ts'

/** Creates a folder that contains these programs. */
function folderOf(...programs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const program of programs) {
    writeFileSync(join(folder, program), '')
    chmodSync(join(folder, program), 0o755)
  }
  return folder
}

const requiredOf = (value: string | undefined) =>
  Object.entries(findOptionalPrograms({ VK_TEST_REQUIRE: value }))
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => name)

test.each([
  [undefined, []],
  ['', []],
  ['chromium', ['chromium']],
  [
    'ceph,postgres-15,pgbouncer,patroni,chromium,firefox,containers,promtool,clamav',
    [
      'ceph',
      'postgres-15',
      'pgbouncer',
      'patroni',
      'chromium',
      'firefox',
      'containers',
      'promtool',
      'clamav',
    ],
  ],
  [' ceph , chromium,', ['ceph', 'chromium']],
])('VK_TEST_REQUIRE=%s requires %j', (value, names) => {
  expect(requiredOf(value)).toEqual(names)
})

test.each(['cephh', 'ceph,postgres', 'true'])('the unknown VK_TEST_REQUIRE=%s is rejected', (value) => {
  expect(() => requiredOf(value)).toThrow(
    'is not one of ceph, postgres-15, pgbouncer, patroni, chromium, firefox, containers, promtool, clamav',
  )
})

test('CI=true requires no program', () => {
  const programs = Object.values(findOptionalPrograms({ CI: 'true' }))
  expect(programs.map(({ isRequired }) => isRequired)).toEqual(Array(9).fill(false))
})

test('the programs of Ceph are searched in every folder of PATH', () => {
  const [first, second] = [
    folderOf('radosgw', 'radosgw-admin', 'ceph', 'curl'),
    folderOf('ceph-mon', 'ceph-osd'),
  ]
  const missing = findOptionalPrograms({ PATH: [first, second].join(delimiter) }).ceph.missing
  expect(missing).toEqual(['ceph-authtool', 'monmaptool'])
})

test.each([
  ['Chromium', 'CHROMIUM', 'chromium'],
  ['Firefox', 'FIREFOX', 'firefox'],
] as const)('%s is missing if %s is not an existing file', (_title, variable, name) => {
  const folder = folderOf('browser')
  const missingAt = (path: string) => findOptionalPrograms({ [variable]: path })[name].missing
  expect(missingAt(join(folder, 'browser'))).toEqual([])
  expect(missingAt(join(folder, 'other'))).toEqual([join(folder, 'other')])
})
