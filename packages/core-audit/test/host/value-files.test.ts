import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, type EnvironmentReader, readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test } from 'vitest'

/** Writes a file for one test and returns its path. */
async function fileWith(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'values-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'value')
  await writeFile(path, content)
  return path
}

const readKey = (env: EnvironmentReader) => env.required('Shop__Key')
const problemsOf = (environment: Environment, read: (env: EnvironmentReader) => unknown = readKey) =>
  configurationProblems(() => readConfiguration(environment, read))

test.each([
  ['without a line break', 's3cret', 's3cret'],
  ['with a line break at its end', 's3cret\n', 's3cret'],
  ['with a Windows line break at its end', 's3cret\r\n', 's3cret'],
  ['with other white space', ' s3 cret \n', ' s3 cret '],
])('KEY_FILE names a file %s', async (_case, content, value) => {
  const environment = { Shop__Key_FILE: await fileWith(content) }
  expect(readConfiguration(environment, readKey)).toBe(value)
  expect(readConfiguration(environment, (env) => env.string('Shop__Key'))).toBe(value)
})

test('the value of a file must match the pattern, and the problem does not contain it', async () => {
  const environment = { Shop__Key_FILE: await fileWith('c4n4ry') }
  const read = (env: EnvironmentReader) => env.required('Shop__Key', { pattern: /^\d+$/, expected: 'digits' })
  expect(problemsOf(environment, read)).toEqual(['Shop__Key: expected digits'])
})

test('a key and its file together are a problem', async () => {
  const environment = { Shop__Key: 'c4n4ry', Shop__Key_FILE: await fileWith('other') }
  expect(problemsOf(environment)).toEqual(['Shop__Key_FILE: Shop__Key is also set; set only one of them'])
})

test('a blank key and its file together are no problem, nor are a key and a blank file name', async () => {
  expect(readConfiguration({ Shop__Key: ' ', Shop__Key_FILE: await fileWith('a') }, readKey)).toBe('a')
  expect(readConfiguration({ Shop__Key: 'a', Shop__Key_FILE: '' }, readKey)).toBe('a')
})

test.each([
  ['a missing file', () => '/c4n4ry/missing', 'Shop__Key_FILE: the file cannot be read'],
  ['a folder', () => tmpdir(), 'Shop__Key_FILE: the file cannot be read'],
  ['an empty file', () => fileWith(''), 'Shop__Key_FILE: the file is empty'],
  ['a blank file', () => fileWith(' \n'), 'Shop__Key_FILE: the file is empty'],
])('%s is one problem, also for a key with a default', async (_case, path, problem) => {
  const environment = { Shop__Key_FILE: await path() }
  expect(problemsOf(environment)).toEqual([problem])
  expect(problemsOf(environment, (env) => env.string('Shop__Key', { default: 'x' }))).toEqual([problem])
  expect(problemsOf(environment, (env) => env.secret('Shop__Key'))).toEqual([problem])
})

test('the file of an unknown key, and of a key that is not a text, is an unknown key', async () => {
  const environment = { Shop__Kye_FILE: await fileWith('a'), Shop__Size_FILE: await fileWith('1') }
  const read = (env: EnvironmentReader) => [
    env.string('Shop__Key'),
    env.integer('Shop__Size', { default: 1, min: 1, max: 2 }),
  ]
  expect(problemsOf(environment, read)).toEqual([
    'Shop__Kye_FILE: unknown key',
    'Shop__Size_FILE: unknown key',
  ])
})

test('allow() also accepts the file of a key', () => {
  expect(problemsOf({ Shop__Key_FILE: '/c4n4ry/missing' }, (env) => env.allow('Shop__Key'))).toEqual([])
})

test('a secret is read from its file at each call, and from its key once', async () => {
  const path = await fileWith('first\n')
  const read = (environment: Environment) => readConfiguration(environment, (env) => env.secret('Shop__Key'))
  const fromFile = read({ Shop__Key_FILE: path })
  expect(await fromFile?.()).toBe('first')
  await writeFile(path, 'second\n')
  expect(await fromFile?.()).toBe('second')
  expect(await read({ Shop__Key: 'fixed' })?.()).toBe('fixed')
  expect(read({})).toBeUndefined()
})
