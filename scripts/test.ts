// Runs every test on PostgreSQL 18, then the database suites again on Debian's PostgreSQL 15, the oldest one
// supported. Arguments are vitest's: `pnpm test --project notes -t conflict`. The last line is the sum.
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PostgresOptions, startPostgres } from '@vertical-kit/dev-services'
import rootPackage from '../package.json' with { type: 'json' }
import { databaseSuites } from './database-suites.config.ts'
import { runVitest, type TestRun } from './vitest-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suitesConfig = fileURLToPath(import.meta.resolve('./database-suites.config.ts'))
const oldestPostgres = '/usr/lib/postgresql/15/bin'
const vitestArgs = process.argv.slice(2)

requireNode()
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

const first = await testOn({}, vitestArgs)
const runs = [first, ...(interruption.signal.aborted ? [] : await testOnOldest(first))]

const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
if (passed + failed === 0) console.error('No test was executed.')
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
if (interruption.signal.aborted) process.exitCode = 130
else if (failed > 0 || passed === 0) process.exitCode = 1

function sum(outcome: 'passed' | 'failed' | 'skipped'): number {
  return runs.reduce((total, run) => total + run[outcome], 0)
}

function requireNode(): void {
  const wanted = Number(/\d+/.exec(rootPackage.engines.node)?.[0])
  if (Number.parseInt(process.versions.node, 10) >= wanted) return
  console.error(
    `The tests need Node ${rootPackage.engines.node}; this is ${process.version} (${process.execPath}). ` +
      `Run them as: npx ${rootPackage.packageManager} test`,
  )
  process.exit(1)
}

async function testOn(options: PostgresOptions, args: readonly string[]): Promise<TestRun> {
  try {
    const server = await startPostgres(options)
    try {
      console.log(`PostgreSQL ${server.version}`)
      return await runVitest({ root, args, postgresUrl: server.adminUrl, signal: interruption.signal })
    } finally {
      await server.stop('immediate')
    }
  } catch (error) {
    console.error(error)
    return { passed: 0, failed: 1, skipped: 0, files: [] }
  }
}

/** Runs what the first run executed of the database suites; nothing, when its arguments selected none of them. */
async function testOnOldest(first: TestRun): Promise<TestRun[]> {
  const suiteFolders = databaseSuites.map((name) => join(root, 'packages', name) + sep)
  const files = first.files.filter(({ path }) => suiteFolders.some((folder) => path.startsWith(folder)))
  if (files.length === 0) return []
  if (existsSync(oldestPostgres)) {
    return [await testOn({ binaries: oldestPostgres }, ['--config', suitesConfig, ...vitestArgs])]
  }
  const testCount = files.reduce((total, file) => total + file.testCount, 0)
  const isRequired = process.env['CI'] === 'true'
  console.error(
    `\n!!! ${isRequired ? 'FAILED' : 'SKIPPED'}: ${testCount} tests of ${databaseSuites.join(', ')} on PostgreSQL 15: ` +
      `${oldestPostgres} does not exist (Debian: apt-get install postgresql-15) !!!\n`,
  )
  return [{ passed: 0, failed: isRequired ? 1 : 0, skipped: isRequired ? 0 : testCount, files: [] }]
}
