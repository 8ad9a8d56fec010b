import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type DoctorCheck, failed, ok, runDoctorCommand, warning } from '@vertical-kit/core-audit/doctor'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

async function run(argv: readonly string[], checks: readonly DoctorCheck[] = []) {
  const [out, err]: [string[], string[]] = [[], []]
  const config = { ...databaseDefaults, url: fresh.url, directUrl: fresh.url }
  const exitCode = await runDoctorCommand({
    argv,
    open: () => ({
      config,
      database: createDatabase(config),
      modules: [{ name: 'shop', doctor: async () => checks }],
    }),
    write: (line) => void out.push(line),
    writeError: (line) => void err.push(line),
  })
  return { exitCode, out, err }
}

test('prints one line for each check of the host and its modules, and the counts', async () => {
  const { exitCode, out, err } = await run(
    [],
    [
      { name: 'shop.stock', run: async () => warning('It is low.', 'Raise Shop__Stock.') },
      { name: 'shop.till', run: async () => ok('It is open.') },
    ],
  )
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
  expect(out).toContainEqual(
    expect.stringMatching(/^warning +shop\.stock +It is low\. → Raise Shop__Stock\.$/),
  )
  expect(out).toContainEqual(expect.stringMatching(/^ok +shop\.till +It is open\.$/))
  expect(out.at(-1)).toMatch(/^\d+ ok, 2 warning, 0 failed, 0 skipped$/)
})

test('a failed check and a rejected one give exit code 1', async () => {
  const rejected = { name: 'shop.door', run: () => Promise.reject(new Error('c4n4ry')) }
  for (const check of [
    { name: 'shop.till', run: async () => failed('Shut.', 'Open Shop__Till.') },
    rejected,
  ]) {
    const { exitCode, out } = await run([], [check])
    expect(exitCode).toBe(1)
    expect(out.join()).toContain(`failed   ${check.name}`)
    expect(out.join()).not.toContain('c4n4ry')
  }
})

test('--json prints one document', async () => {
  const { exitCode, out } = await run(['--json'], [{ name: 'shop.till', run: async () => ok('It is open.') }])
  expect(exitCode).toBe(0)
  const document = JSON.parse(out.join('\n'))
  expect(document).toMatchObject({ isHealthy: true, counts: { failed: 0 } })
  expect(document.findings).toContainEqual({ name: 'shop.till', status: 'ok', message: 'It is open.' })
})

test.each([['--help'], ['-h'], ['-- --help']])('%s prints the help and runs no check', async (line) => {
  const { exitCode, out } = await run(line.split(' '), [
    { name: 'x', run: () => Promise.reject(new Error()) },
  ])
  expect(exitCode).toBe(0)
  expect(out.join()).toContain('Usage: doctor')
})

test.each([
  '--unknown',
  'extra',
  '--token-file',
  '--replicas 0',
  '--replicas 2 --replicas 3',
  '--replicas x',
  '--origin app.example.com',
  '--origin https://app.example.com/',
])('the wrong arguments %j print the help and return exit code 2', async (line) => {
  const { exitCode, out, err } = await run(line.split(' '))
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
  expect(err.join()).toContain('Usage: doctor')
})

test('an invalid configuration returns exit code 78, and a missing token file 2', async () => {
  const err: string[] = []
  const open = () => readConfiguration({}, (env) => env.required('DATABASE_URL') as never)
  const options = { open, write: () => {}, writeError: (line: string) => void err.push(line) }
  expect(await runDoctorCommand({ ...options, argv: [] })).toBe(78)
  expect(await runDoctorCommand({ ...options, argv: ['--token-file', '/missing'] })).toBe(2)
  expect(err).toEqual(['DATABASE_URL: is required', '--token-file: the file cannot be read'])
})
