import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What one run of vitest came to. `failed` is at least 1 when the run as a whole failed. */
export interface TestRun {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly files: readonly { readonly path: string; readonly testCount: number }[]
}

export interface VitestRunOptions {
  readonly root: string
  readonly args: readonly string[]
  readonly postgresUrl: string
  /** Aborting passes SIGINT on to vitest; the run is over when vitest is. */
  readonly signal: AbortSignal
}

/** The part of vitest's JSON report that is counted here. */
interface JsonReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** Runs vitest to its end with its default reporter, and counts from its JSON report. */
export async function runVitest(options: VitestRunOptions): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'vitest-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const outcome = await vitest(reportFile, options)
    const report = await readFile(reportFile, 'utf8').catch(() => undefined)
    return count(outcome, report === undefined ? undefined : JSON.parse(report))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function vitest(reportFile: string, { root, args, postgresUrl, signal }: VitestRunOptions): Promise<string> {
  const entry = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const child = spawn(
    process.execPath,
    [entry, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...args],
    {
      cwd: root,
      env: { ...process.env, VK_TEST_POSTGRES_URL: postgresUrl },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const interrupt = () => child.kill('SIGINT')
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('error', reject)
  child.once('exit', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`))
  return promise.finally(() => signal.removeEventListener('abort', interrupt))
}

function count(outcome: string, report: JsonReport | undefined): TestRun {
  const files = (report?.testResults ?? []).map((file) => ({
    path: file.name,
    testCount: file.assertionResults.length,
    // A file that could not be loaded has no failed test to show for it.
    hasFailedToLoad:
      file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  }))
  const failed = (report?.numFailedTests ?? 0) + files.filter((file) => file.hasFailedToLoad).length
  const runHasFailed = outcome !== 'exit code 0'
  if (runHasFailed && failed === 0) console.error(`vitest failed as a whole (${outcome})`)
  return {
    passed: report?.numPassedTests ?? 0,
    failed: runHasFailed ? Math.max(failed, 1) : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    files,
  }
}
