import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runCommand } from './run-command.ts'

test.each([['--help'], ['retry --help'], ['-h']])('%s prints the usage and does nothing', async (line) => {
  const { exitCode, out, err } = await runCommand(undefined, line.split(' '))
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
  expect(out.join()).toContain('Usage: outbox <command>')
})

test.each([
  '',
  'purge',
  'constructor',
  'list everything',
  'list --reason x',
  'list --force',
  'show',
  'show a b',
  'show a --consumer mail',
  'retry',
  'retry a b --reason x',
  'retry a --all --reason x',
  `discard a --reason ${'x'.repeat(1_001)}`,
])('for the wrong arguments %j, the command prints the help and exits with code 2', async (line) => {
  const { exitCode, out, err } = await runCommand(undefined, line.split(' ').filter(Boolean))
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
  expect(err.join()).toContain('Usage: outbox <command>')
})

test.each([undefined, '', '  '])(
  'a missing database URL (%j) is a configuration error',
  async (databaseUrl) => {
    const { exitCode, out, err } = await runCommand(databaseUrl, ['list'])
    expect({ exitCode, out, err }).toEqual({ exitCode: 78, out: [], err: ['DATABASE_URL: is required'] })
  },
)

test('a missing database and missing tables are reported in plain text', async () => {
  const empty = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => empty.drop())
  const { err } = await runCommand(empty.url, ['list'])
  expect(err).toContain('Its tables are missing: run the migrations first. (42P01)')
  const nowhere = new URL(empty.url)
  nowhere.pathname = '/nowhere'
  expect((await runCommand(nowhere.href, ['list'])).err).toContain('The database does not exist. (3D000)')
})

test('with an unreachable server, the command exits with code 1 and does not show the password', async () => {
  const { exitCode, out, err } = await runCommand('postgres://app:s3cret@127.0.0.1:1/none', ['list'])
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: [] })
  expect(err).toEqual(['The database could not be queried.', expect.stringMatching(/^Error ECONNREFUSED/)])
  expect(err.join('\n')).not.toContain('s3cret')
})
