// Runs every test on PostgreSQL 18, then the database suites again, less their files that need no database, on
// Debian's PostgreSQL 15, the oldest one supported. Arguments are vitest's: `pnpm test --project notes -t conflict`.
// The last line is the sum; before it comes what was slow, and what failed and why.
import { existsSync } from 'node:fs'
import { basename, join, matchesGlob, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PostgresOptions, startPostgres } from '@vertical-kit/dev-services'
import rootPackage from '../package.json' with { type: 'json' }
import { databaseSuites, withoutDatabase } from './database-suites.config.ts'
import { failureList, type RunOnServer, slowestFiles } from './test-summary.ts'
import { runVitest } from './vitest-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suitesConfig = fileURLToPath(import.meta.resolve('./database-suites.config.ts'))
const oldestPostgres = '/usr/lib/postgresql/15/bin'
const vitestArgs = process.argv.slice(2)

requireNode()
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
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
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
    return withoutTests(name, { failure: error instanceof Error ? error.message : String(error) })
  }
}

/** A run that did not take place. */
function withoutTests(
  server: string,
  { failure, skipped = 0 }: { readonly failure?: string; readonly skipped?: number },
): RunOnServer {
  const failures = failure === undefined ? [] : [{ path: null, title: 'the run', message: failure }]
  return { server, passed: 0, skipped, files: [], failures }
}

/** Runs what the first run executed of the database suites; nothing, when its arguments selected none of them. */
async function testOnOldest(first: RunOnServer): Promise<RunOnServer[]> {
  const suiteFolders = databaseSuites.map((name) => join(root, 'packages', name) + sep)
  const files = first.files.filter(
    ({ path }) =>
      suiteFolders.some((folder) => path.startsWith(folder)) && !matchesGlob(basename(path), withoutDatabase),
  )
  if (files.length === 0) return []
  if (existsSync(oldestPostgres)) {
    const args = ['--config', suitesConfig, '--exclude', `**/${withoutDatabase}`, ...vitestArgs]
    return [await testOn({ binaries: oldestPostgres }, args)]
  }
  const count = files.reduce((total, { passed, failed, skipped }) => total + passed + failed + skipped, 0)
  const isRequired = process.env['CI'] === 'true'
  const reason =
    `${count} tests of ${databaseSuites.join(', ')} on PostgreSQL 15: ${oldestPostgres} does not exist ` +
    '(Debian: apt-get install postgresql-15)'
  console.error(`\n!!! ${isRequired ? 'FAILED' : 'SKIPPED'}: ${reason} !!!\n`)
  return [withoutTests('PostgreSQL 15', isRequired ? { failure: reason } : { skipped: count })]
}
