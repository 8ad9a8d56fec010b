// Runs every test on PostgreSQL 18, then the database suites again, less their files that need no database, on
// Debian's PostgreSQL 15, the oldest one supported. Arguments are vitest's: `pnpm test --project notes -t conflict`.
// The last line is the sum. The lines before it list the slowest files, failures with their reasons, and tests that
// were left out because a program is missing; VK_TEST_REQUIRE makes such tests fail (vitest.optional-programs.ts).
import { fileURLToPath } from 'node:url'
import { type PostgresOptions, startPostgres } from '@vertical-kit/dev-services'
import rootPackage from '../package.json' with { type: 'json' }
import { findOptionalPrograms, postgres15Folder } from '../vitest.optional-programs.ts'
import { databaseSuites, withoutDatabase } from './database-suites.config.ts'
import { failureList, type RunOnServer, slowestFiles } from './test-summary.ts'
import { databaseSuiteFiles, describeGaps, findGaps } from './untested.ts'
import { runVitest } from './vitest-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suitesConfig = fileURLToPath(import.meta.resolve('./database-suites.config.ts'))
const vitestArgs = process.argv.slice(2)

requireNode()
const programs = findOptionalPrograms()
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

const first = await testOn({}, vitestArgs)
const runs = [first, ...(interruption.signal.aborted ? [] : await testOnOldest(first))]

const passed = sum(({ passed }) => passed)
const failed = sum(({ failures }) => failures.length)
const skipped = sum(({ skipped }) => skipped)
for (const line of runs.flatMap((run) => slowestFiles(run, root))) console.log(line)
for (const line of failureList(runs, root)) console.log(line)
if (passed + failed === 0) console.error('No test was executed.')
if (skipped > 0) console.log(`\n${skipped} tests were skipped.`)
for (const line of describeGaps(findGaps(first.files, programs, root))) console.log(line)
console.log(`${passed} passed, ${failed} failed`)
if (interruption.signal.aborted) process.exitCode = 130
else if (failed > 0 || passed === 0) process.exitCode = 1

function sum(count: (run: RunOnServer) => number): number {
  return runs.reduce((total, run) => total + count(run), 0)
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

async function testOn(options: PostgresOptions, args: readonly string[]): Promise<RunOnServer> {
  let name = options.binaries ?? 'PostgreSQL'
  try {
    const server = await startPostgres(options)
    try {
      name = `PostgreSQL ${server.version}`
      console.log(name)
      const run = await runVitest({ root, args, postgresUrl: server.adminUrl, signal: interruption.signal })
      return { server: name, ...run }
    } finally {
      await server.stop('immediate')
    }
  } catch (error) {
    console.error(error)
    return withoutTests(name, error instanceof Error ? error.message : String(error))
  }
}

/** A run that did not take place. */
function withoutTests(server: string, message: string): RunOnServer {
  return { server, passed: 0, skipped: 0, files: [], failures: [{ path: null, title: 'the run', message }] }
}

/** Runs what the first run executed of the database suites; nothing, when its arguments selected none of them. */
async function testOnOldest(first: RunOnServer): Promise<RunOnServer[]> {
  if (databaseSuiteFiles(first.files, root).length === 0) return []
  const { title, missing, isRequired, advice } = programs['postgres-15']
  if (missing.length === 0) {
    const args = ['--config', suitesConfig, '--exclude', `**/${withoutDatabase}`, ...vitestArgs]
    return [await testOn({ binaries: postgres15Folder }, args)]
  }
  if (!isRequired) return []
  const suites = databaseSuites.join(', ')
  return [withoutTests(title, `${suites}: ${missing.join(', ')} does not exist (${advice})`)]
}
