import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { migrationsOf } from '@vertical-kit/core-audit/host'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readHostConfig } from '../src/config.ts'
import { composeHost } from '../src/host.ts'
import { hostMigrations } from '../src/migrations.ts'

const script = fileURLToPath(new URL('../src/migrate.ts', import.meta.url))

interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `pnpm migrate` with the given arguments and environment. */
function migrate(argv: readonly string[], environment: Readonly<Record<string, string>>): Promise<Outcome> {
  const options = { env: { PATH: process.env['PATH'], ...environment } }
  const command = ['--conditions=@vertical-kit/source', script, ...argv]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('pnpm migrate applies the migrations of all packages to an empty database in order', async () => {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const environment = { DATABASE_URL: database.url }
  const plan = await migrate(['plan'], environment)
  const planned = plan.stdout.trimEnd().split('\n').slice(0, -1)
  expect(plan.status).toBe(0)
  expect([...new Set(planned.map((line) => line.slice(0, line.lastIndexOf('/'))))]).toEqual(
    hostMigrations.map(({ name }) => name),
  )
  expect((await migrate(['status'], environment)).status).toBe(3)
  const rehearsal = await migrate(['up', '--dry-run'], environment)
  expect(rehearsal).toMatchObject({ status: 0, stderr: '' })
  const up = await migrate(['up'], environment)
  expect(up).toMatchObject({ status: 0, stderr: '' })
  expect(up.stdout).toContain(planned.at(-1))
  expect((await migrate(['status'], environment)).status).toBe(0)
  expect((await migrate(['plan'], environment)).stdout).toBe('Nothing to apply.\n')
})

test("pnpm migrate has the same list of migrations as the host's modules", () => {
  const config = readHostConfig({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    Oidc__Issuer: 'https://issuer.example',
    Oidc__Audience: 'api',
  })
  expect(hostMigrations).toEqual(migrationsOf(composeHost(config).modules))
})

test('pnpm migrate uses the address without the pooler', async () => {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/none', DATABASE_DIRECT_URL: database.url }
  expect(await migrate(['up'], environment)).toMatchObject({ status: 0, stderr: '' })
})

test('pnpm migrate fails if no database is configured', async () => {
  const missing = { status: 78, stdout: '', stderr: 'DATABASE_URL: is required\n' }
  expect(await migrate(['up'], {})).toEqual(missing)
  // The command needs no other key, so it reports no mistakes in them.
  expect(await migrate(['up'], { PORT: 'none' })).toEqual(missing)
})
