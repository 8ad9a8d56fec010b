import { fileURLToPath } from 'node:url'
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason } from 'vitest/node'

/** A failed test or another failure of the run. */
export interface Failure {
  /** The project and the path, or only one of the two. Null if vitest reports neither. */
  readonly where: string | null
  /** The full name of the test, or the name of another part that failed. */
  readonly title: string
  readonly message: string
}

/** The test results of one file. */
export interface FileReport {
  readonly project: string
  /** The absolute path of the file. */
  readonly path: string
  /** The duration of the file, including loading and hooks. */
  readonly durationMs: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The result of a run. */
export interface RunReport {
  /** Whether the run has ended. Until then, the report contains the files that have been started. */
  readonly isOver: boolean
  readonly files: readonly FileReport[]
  readonly failures: readonly Failure[]
  /** The tests that failed once and passed when they were repeated, with the message of the failure. */
  readonly flaky: readonly Failure[]
}

/**
 * Creates a reporter that collects the result of a run. If the process is ended before the run, the report contains a failure
 * for each file that was running, so that the log of a stopped CI shows what did not finish.
 */
export function createReporter(): Reporter & { readonly report: RunReport } {
  const started = new Map<string, TestModule>()
  let end: RunReport | undefined
  // vitest replaces the object of a file when it has loaded the file.
  const record = (module: TestModule): void => void started.set(module.id, module)
  return {
    get report() {
      return end ?? createReport([...started.values()], [], 'interrupted')
    },
    onTestModuleQueued: record,
    onTestModuleCollected: record,
    onTestRunEnd(modules, errors, reason) {
      end = { ...createReport(modules, errors, reason), isOver: true }
    },
  }
}

function createReport(
  modules: readonly TestModule[],
  errors: readonly SerializedError[],
  reason: TestRunEndReason,
): RunReport {
  const others = [...errors]
  const failures = modules.flatMap((module) => [
    ...failuresOf(module),
    ...(isOver(module) ? [] : [unfinished(module, { why: takeReason(others, module), reason })]),
  ])
  return {
    isOver: false,
    files: modules.map(describeFile),
    failures: [...failures, ...others.map(unhandled)],
    flaky: modules.flatMap(flakyTestsOf),
  }
}

function describeFile(module: TestModule): FileReport {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  const count = (state: 'passed' | 'failed' | 'skipped') => [...module.children.allTests(state)].length
  return {
    project: module.project.name,
    path: module.moduleId,
    durationMs: prepareDuration + collectDuration + setupDuration + duration,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
  }
}

function failuresOf(module: TestModule): readonly Failure[] {
  const of = (title: string, message: string): Failure => ({ where: whereIs(module), title, message })
  const groups = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => of(`${suite.fullName} (a hook)`, formatError(error))),
  )
  const tests = [...module.children.allTests('failed')].map(describeTest)
  return [...module.errors().map((error) => of('the file', formatError(error))), ...groups, ...tests]
}

const flakyTestsOf = (module: TestModule): readonly Failure[] =>
  [...module.children.allTests('passed')].filter((test) => test.diagnostic()?.flaky).map(describeTest)

const describeTest = (test: TestCase): Failure => ({
  where: whereIs(test.module),
  title: test.fullName,
  message: (test.result().errors ?? []).map(formatError).join('\n'),
})

const isOver = (module: TestModule): boolean => !['pending', 'queued'].includes(module.state())

/** Finds the error that contains the path of an unfinished file. Removes it from `errors` and returns it. */
function takeReason(errors: SerializedError[], { moduleId }: TestModule): SerializedError | undefined {
  const index = errors.findIndex((error) => formatError(error).includes(moduleId))
  return index === -1 ? undefined : errors.splice(index, 1)[0]
}

interface Interruption {
  readonly why: SerializedError | undefined
  readonly reason: TestRunEndReason
}

function unfinished(module: TestModule, { why, reason }: Interruption): Failure {
  const message = why === undefined ? `no result (end of the run: ${reason})` : formatError(why)
  return { where: whereIs(module), title: 'the file did not finish', message }
}

const root = fileURLToPath(new URL('..', import.meta.url))

function whereIs({ project, moduleId }: TestModule): string {
  return `${project.name}  ${moduleId.replace(root, '')}`
}

function unhandled(error: SerializedError): Failure {
  const path = error['VITEST_TEST_PATH']
  const test = error['VITEST_TEST_NAME']
  const kind = String(error['type'] ?? 'Unhandled Error')
  return {
    where: typeof path === 'string' ? path.replace(root, '') : null,
    title: typeof test === 'string' ? `${kind} during: ${test}` : kind,
    message: formatError(error),
  }
}

/** Returns the message of an error, its place in our code, and then its causes. */
function formatError({ name, message, stacks = [], cause }: SerializedError): string {
  // vitest adds this prefix to the name of a cause.
  const kind = name?.replace(/^Caused by: /, '')
  const isPlain = kind === undefined || kind === 'Error' || kind === 'AssertionError'
  const place = stacks.find(({ file }) => !/^node:|node_modules/.test(file))
  return [
    isPlain ? message : `${kind}: ${message}`,
    ...(place ? [`at ${place.file}:${place.line}:${place.column}`] : []),
    ...(cause ? [`caused by ${formatError(cause)}`] : []),
  ].join('\n')
}
