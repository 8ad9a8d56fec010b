import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Failure, type FileReport, logVariable, type RunEvent } from './vitest.run-reporter.ts'

/** What one run of vitest came to. Everything that failed is in `failures`, and counts as one. */
export interface TestRun {
  readonly passed: number
  readonly skipped: number
  readonly files: readonly FileReport[]
  readonly failures: readonly Failure[]
}

export interface VitestRunOptions {
  readonly root: string
  readonly args: readonly string[]
  readonly postgresUrl: string
  /** Aborting passes SIGINT on to vitest; the run is over when vitest is. */
  readonly signal: AbortSignal
}

// Longer than a file may take (vitest.execution.ts): this one is for vitest itself. Counted in ticks: a machine that was
// suspended meanwhile has not used up the time.
const tickMs = 10_000
const silenceLimitTicks = 90

/** Runs vitest to its end, or to that of its patience, with its default reporter beside ours, and sums up. */
export async function runVitest(options: VitestRunOptions): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'vitest-run-'))
  const log = join(folder, 'log')
  try {
    await writeFile(log, '')
    const outcome = await vitest(log, options)
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1)
    return sumUp(
      outcome,
      lines.map((line) => JSON.parse(line) as RunEvent),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function vitest(log: string, { root, args, postgresUrl, signal }: VitestRunOptions): Promise<string> {
  const entry = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const reporter = fileURLToPath(import.meta.resolve('./vitest.run-reporter.ts'))
  const child = spawn(
    process.execPath,
    [entry, 'run', '--reporter=default', `--reporter=${reporter}`, ...args],
    {
      cwd: root,
      env: { ...process.env, VK_TEST_POSTGRES_URL: postgresUrl, [logVariable]: log },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const interrupt = () => child.kill('SIGINT')
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt)
  const patience = onSilence(log, () => child.kill('SIGKILL'))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('error', reject)
  child.once('exit', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`))
  try {
    const outcome = await promise
    return patience.isOver
      ? `silent for ${(silenceLimitTicks * tickMs) / 60_000} minutes, and killed`
      : outcome
  } finally {
    patience.end()
    signal.removeEventListener('abort', interrupt)
  }
}

/** Calls `act` once the log has not grown for as long as the limit. */
function onSilence(log: string, act: () => void) {
  let [sizeBytes, silentTicks, isOver] = [0, 0, false]
  const timer = setInterval(() => {
    const nowBytes = statSync(log).size
    silentTicks = nowBytes === sizeBytes ? silentTicks + 1 : 0
    sizeBytes = nowBytes
    if (silentTicks < silenceLimitTicks) return
    isOver = true
    act()
  }, tickMs)
  return {
    get isOver() {
      return isOver
    },
    end: () => clearInterval(timer),
  }
}

function sumUp(outcome: string, events: readonly RunEvent[]): TestRun {
  const files = events.filter((event) => event.type === 'file')
  const sum = (of: 'passed' | 'skipped') => files.reduce((total, file) => total + file[of], 0)
  const named = events.flatMap((event) =>
    event.type === 'file' || event.type === 'end' ? event.failures : [],
  )
  const failures = [...named, ...unfinished(outcome, events)]
  const hasFailed = outcome !== 'exit code 0'
  const nameless = { path: null, title: 'vitest', message: `${outcome}, and nothing else to tell why` }
  return {
    passed: sum('passed'),
    skipped: sum('skipped'),
    files,
    failures: hasFailed && failures.length === 0 ? [nameless] : failures,
  }
}

/** The files of a run that did not come to its end: those under way one by one, and those to come by their number. */
function unfinished(outcome: string, events: readonly RunEvent[]): readonly Failure[] {
  if (events.some(({ type }) => type === 'end')) return []
  const pathsOf = (type: 'begin' | 'file') =>
    new Set(events.flatMap((event) => (event.type === type && 'path' in event ? [event.path] : [])))
  const [begun, ended] = [pathsOf('begin'), pathsOf('file')]
  const all = events.flatMap((event) => (event.type === 'run' ? event.paths : []))
  const toComeCount = all.filter((path) => !begun.has(path)).length
  const message = `vitest: ${outcome}`
  return [
    ...[...begun]
      .filter((path) => !ended.has(path))
      .map((path) => ({ path, title: 'the file did not finish', message })),
    ...(toComeCount > 0 ? [{ path: null, title: `${toComeCount} files were not run`, message }] : []),
  ]
}
