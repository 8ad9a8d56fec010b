// Runs all tests in one run of vitest, and the database suites a second time on the oldest supported PostgreSQL. Passes
// its arguments to vitest: `pnpm test --project notes -t conflict`. The last line contains the totals. The lines above it
// list the time of each project, the slowest files, the failures with their messages, the tests that passed only when
// repeated, and the tests that were omitted because a program is missing. With VK_TEST_REQUIRE, tests of a missing program
// fail (see vitest.optional-programs.ts).
import { fileURLToPath } from 'node:url'
import { createVitest, parseCLI } from 'vitest/node'
import rootPackage from '../package.json' with { type: 'json' }
import { databaseSuites, onPostgres15, pooledSuites, throughPgBouncer } from '../vitest.database-suites.ts'
import { findOptionalPrograms } from '../vitest.optional-programs.ts'
import { createReporter, type Failure, type FileReport } from './test-report.ts'
import { failureList, slowestFiles, timeByProject } from './test-summary.ts'
import { databaseSuiteFiles, describeGaps, findGaps } from './untested.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

requireNode()
const programs = findOptionalPrograms()
const reporter = createReporter()
let problem: unknown
// Use the exit event: it also occurs if an interruption or an error outside of tests ends the process immediately.
process.once('exit', summarize)
try {
  await runTests(process.argv.slice(2))
} catch (error) {
  console.error(error)
  problem = error
}

function requireNode(): void {
  const wanted = Number(/\d+/.exec(rootPackage.engines.node)?.[0])
  if (Number.parseInt(process.versions.node, 10) >= wanted) return
  console.error(
    `The tests need Node ${rootPackage.engines.node}, but ${process.execPath} is ${process.version}. ` +
      `Run them with: npx ${rootPackage.packageManager} test`,
  )
  process.exit(1)
}

async function runTests(args: readonly string[]): Promise<void> {
  const parsed = parseCLI(['vitest', 'run', ...args])
  // The option `reporter` would replace all reporters, also ours.
  const { filter } = parsed
  const { reporter: chosen, ...options } = parsed.options
  const vitest = await createVitest({
    ...options,
    root,
    watch: false,
    // `--project notes` selects both runs of the project notes.
    ...(options.project && {
      project: [options.project]
        .flat()
        .flatMap((name) => [name, onPostgres15(name), throughPgBouncer(name, '*')]),
    }),
    reporters: [...[chosen ?? 'default'].flat(), reporter],
  })
  try {
    await vitest.start(filter)
  } finally {
    await vitest.exit()
  }
}

function summarize(exitCode: number): void {
  const { files, failures, flaky } = reporter.report
  const all = [...failures, ...missingRuns(files), ...withoutReport(exitCode)]
  for (const line of timeByProject(files)) console.log(line)
  for (const line of slowestFiles(files, root)) console.log(line)
  for (const line of failureList('Failed once, then passed', flaky, root)) console.log(line)
  for (const line of failureList('Failed', all, root)) console.log(line)
  const passed = files.reduce((sum, file) => sum + file.passed, 0)
  const skipped = files.reduce((sum, file) => sum + file.skipped, 0)
  if (passed + all.length === 0) console.error('No tests ran.')
  if (skipped > 0) console.log(`\n${skipped} tests were skipped.`)
  for (const line of describeGaps(findGaps(files, programs, root))) console.log(line)
  console.log(`${passed} passed, ${all.length} failed`)
  if (all.length > 0 || passed === 0) process.exitCode ||= 1
}

/** Returns a failure if the second run is required but PostgreSQL 15 is missing. */
function missingRuns(files: readonly FileReport[]): readonly Failure[] {
  if (databaseSuiteFiles(files, root).length === 0) return []
  const runs = [
    { program: programs['postgres-15'], suites: databaseSuites },
    { program: programs.pgbouncer, suites: pooledSuites },
  ]
  return runs
    .filter(({ program }) => program.missing.length > 0 && program.isRequired)
    .map(({ program: { title, missing, advice }, suites }) => {
      const message = `${suites.join(', ')}: ${missing.join(', ')} not found (${advice})`
      return { where: title, title: 'the run', message }
    })
}

/** Returns a failure if the run did not finish or failed without a reported reason. */
function withoutReport(exitCode: number): readonly Failure[] {
  if (problem !== undefined) {
    return [
      { where: null, title: 'vitest', message: problem instanceof Error ? problem.message : String(problem) },
    ]
  }
  const { isOver, failures } = reporter.report
  if (isOver && (exitCode === 0 || failures.length > 0)) return []
  return [
    {
      where: null,
      title: 'vitest',
      message: `${isOver ? '' : 'ended before the tests with '}exit code ${exitCode}`,
    },
  ]
}
