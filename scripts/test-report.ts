import { fileURLToPath } from 'node:url'
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node'

/** One thing that failed. */
export interface Failure {
  /** Where: the project and the path, or the project alone; `null` when vitest does not tell it. */
  readonly where: string | null
  /** The full name of the test, or what failed besides tests. */
  readonly title: string
  readonly message: string
}

/** How the tests of a file ended. */
export interface FileReport {
  readonly project: string
  /** Absolute. */
  readonly path: string
  /** Loading and hooks included. */
  readonly durationMs: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** How a run ended. */
export interface RunReport {
  readonly files: readonly FileReport[]
  readonly failures: readonly Failure[]
}

/** Keeps what vitest says at the end of a run: `report` is `undefined` until then. */
export function createReporter(): Reporter & { readonly report: RunReport | undefined } {
  let report: RunReport | undefined
  return {
    get report() {
      return report
    },
    onTestRunEnd(modules, errors, reason) {
      const others = [...errors]
      const failures = modules.flatMap((module) => [
        ...failuresOf(module),
        ...(isOver(module) ? [] : [unfinished(module, { why: takeReason(others, module), reason })]),
      ])
      report = { files: modules.map(describeFile), failures: [...failures, ...others.map(unhandled)] }
    },
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
    suite.errors().map((error) => of(`${suite.fullName} (a hook)`, said(error))),
  )
  const tests = [...module.children.allTests('failed')].map((test) =>
    of(test.fullName, (test.result().errors ?? []).map(said).join('\n')),
  )
  return [...module.errors().map((error) => of('the file', said(error))), ...groups, ...tests]
}

const isOver = (module: TestModule): boolean => !['pending', 'queued'].includes(module.state())

/** Takes the error that says why a file did not finish out of those that belong to no test: it names the file. */
function takeReason(errors: SerializedError[], { moduleId }: TestModule): SerializedError | undefined {
  const index = errors.findIndex((error) => said(error).includes(moduleId))
  return index === -1 ? undefined : errors.splice(index, 1)[0]
}

interface Interruption {
  readonly why: SerializedError | undefined
  readonly reason: TestRunEndReason
}

function unfinished(module: TestModule, { why, reason }: Interruption): Failure {
  const message = why === undefined ? `no result (the run ${reason})` : said(why)
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
    message: said(error),
  }
}

/** An error's message and its place in a file of ours, and the same of what caused it. */
function said({ name, message, stacks = [], cause }: SerializedError): string {
  // vitest puts the words in front of the name of a cause.
  const kind = name?.replace(/^Caused by: /, '')
  const isPlain = kind === undefined || kind === 'Error' || kind === 'AssertionError'
  const place = stacks.find(({ file }) => !/^node:|node_modules/.test(file))
  return [
    isPlain ? message : `${kind}: ${message}`,
    ...(place ? [`at ${place.file}:${place.line}:${place.column}`] : []),
    ...(cause ? [`caused by ${said(cause)}`] : []),
  ].join('\n')
}
