import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as devServices from '@vertical-kit/dev-services'
import { expect, test } from 'vitest'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

test('the package exports only these names', () => {
  expect(Object.keys(devServices).toSorted()).toEqual([
    'createSigningKey',
    'freshDatabase',
    'removePostgresData',
    'signTestToken',
    'startIdentityProvider',
    'startObjectStore',
    'startPostgres',
  ])
})

test('the first example of the README runs as shown', async () => {
  const readme = await readFile(`${packageFolder}/README.md`, 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@vertical-kit/source', '--input-type=module-typescript', '--eval', example],
    { cwd: packageFolder },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(/postgres: '18\.\d+',\n {2}store: 'http:[\s\S]+issuer: 'http:[\s\S]+token: 'ey/)
})
