import { appendFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, TestRunEndReason, TestSpecification } from 'vitest/node'

/** Names the file to which {@link RunReporter} appends a line of JSON, a {@link RunEvent}, for all that happens. */
export const logVariable = 'VK_TEST_RUN_LOG'

/** One thing that failed. */
export interface Failure {
  /** Absolute; `null` when vitest does not tell it. */
  readonly path: string | null
  /** The full name of the test, or what failed besides tests. */
  readonly title: string
  readonly message: string
}

/** What became of a file. */
export interface FileReport {
  readonly path: string
  /** From being handed to a worker to its end, loading and hooks included. */
  readonly durationMs: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly failures: readonly Failure[]
}

/** In this order: `run`, then `begin` and `file` of each file, `alive` in between, and `end`. */
export type RunEvent =
  | { readonly type: 'run'; readonly paths: readonly string[] }
  | { readonly type: 'begin'; readonly path: string }
  | { readonly type: 'alive' }
  | ({ readonly type: 'file' } & FileReport)
  | { readonly type: 'end'; readonly failures: readonly Failure[] }

/**
 * Tells the process that started vitest what happens while it happens, so that it knows the state of a run that did
 * not come to its end. vitest's own JSON report is written at the end, and leaves out what failed outside of tests.
 */
export default class RunReporter implements Reporter {
  readonly #log = process.env[logVariable] ?? ''
  readonly #startedMs = new Map<string, number>()
  readonly #ended = new Set<TestModule>()

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#tell({ type: 'run', paths: specifications.map(({ moduleId }) => moduleId) })
  }

  onTestModuleQueued({ id, moduleId }: TestModule): void {
    this.#startedMs.set(id, performance.now())
    this.#tell({ type: 'begin', path: moduleId })
  }

  onTestCaseResult(): void {
    this.#tell({ type: 'alive' })
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended.add(module)
    this.#tell({ type: 'file', ...this.#report(module) })
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    let others = unhandledErrors
    for (const module of modules.filter((each) => !this.#ended.has(each))) {
      // The error that says why a file did not finish names it.
      const why = others.filter((error) => said(error).includes(module.moduleId))
      others = others.filter((error) => !why.includes(error))
      const messages = why.length > 0 ? why.map(said) : [`no result (the run ${reason})`]
      const unfinished = messages.map((message) => failure(module, 'the file did not finish', message))
      const { failures, ...report } = this.#report(module)
      // When it ended is not known.
      this.#tell({ type: 'file', ...report, durationMs: 0, failures: [...failures, ...unfinished] })
    }
    this.#tell({ type: 'end', failures: others.map(unhandled) })
  }

  #report(module: TestModule): FileReport {
    const startedMs = this.#startedMs.get(module.id) ?? performance.now()
    return {
      path: module.moduleId,
      durationMs: performance.now() - startedMs,
      passed: [...module.children.allTests('passed')].length,
      failed: [...module.children.allTests('failed')].length,
      skipped: [...module.children.allTests('skipped')].length,
      failures: failuresOf(module),
    }
  }

  #tell(event: RunEvent): void {
    if (this.#log !== '') appendFileSync(this.#log, `${JSON.stringify(event)}\n`)
  }
}

function failuresOf(module: TestModule): Failure[] {
  const groups = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => failure(module, `${suite.fullName} (a hook)`, said(error))),
  )
  const tests = [...module.children.allTests('failed')].map((test) =>
    failure(module, test.fullName, (test.result().errors ?? []).map(said).join('\n')),
  )
  return [...module.errors().map((error) => failure(module, 'the file', said(error))), ...groups, ...tests]
}

function failure({ moduleId: path }: TestModule, title: string, message: string): Failure {
  return { path, title, message }
}

function unhandled(error: SerializedError): Failure {
  const path = error['VITEST_TEST_PATH']
  const test = error['VITEST_TEST_NAME']
  const kind = String(error['type'] ?? 'Unhandled Error')
  return {
    path: typeof path === 'string' ? path : null,
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
