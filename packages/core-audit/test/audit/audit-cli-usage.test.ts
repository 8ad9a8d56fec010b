import { expect, test } from 'vitest'
import { runAudit } from './run-audit.ts'

test.each([['--help'], ['-h'], ['verify --help']])('%s prints the usage', async (line) => {
  const { exitCode, out, err } = await runAudit(undefined, line.split(' '))
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
  expect(out.join()).toContain('Usage: audit <command>')
})

test.each([
  ...['', '--', 'forget', 'constructor'],
  'verify --from 1 --from 2',
  'export --year 2025 --year 2024 --directory /tmp',
  'drop --year 2024 --export /tmp/a --export=/tmp/b',
])('for the wrong arguments %j, the command prints the help and exits with code 2', async (line) => {
  const { exitCode, out, err } = await runAudit(undefined, line.split(' ').filter(Boolean))
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
  expect(err.join()).toContain('Usage: audit <command>')
})
