import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Failure } from './vitest.run-reporter.ts'
import type { TestRun } from './vitest-run.ts'

/** A run, and the server it used: `PostgreSQL 18.4`. */
export interface RunOnServer extends TestRun {
  readonly server: string
}

const shown = { files: 10, failures: 40, messageLines: 8, lineChars: 200 }

/** The ten files of a run that took longest, a line each; nothing for a run of one file. */
export function slowestFiles(run: RunOnServer, root: string): readonly string[] {
  if (run.files.length < 2) return []
  const slowest = run.files.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, shown.files)
  return [
    `\nSlowest files on ${run.server}`,
    ...slowest.map(
      ({ durationMs, path }) => `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${relative(root, path)}`,
    ),
  ]
}

/** All that failed in the runs, with the first lines of why: what a reader of the last page of a log needs. */
export function failureList(runs: readonly RunOnServer[], root: string): readonly string[] {
  const all = runs.flatMap(({ server, failures }) => failures.map((failure) => ({ server, failure })))
  if (all.length === 0) return []
  const lines = all.slice(0, shown.failures).flatMap(({ server, failure }) => describe(server, failure, root))
  const more = all.length - shown.failures
  return ['\nFailed', ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])]
}

function describe(server: string, { path, title, message }: Failure, root: string): readonly string[] {
  const lines = stripVTControlCharacters(message)
    .replaceAll(`${root}`, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [
    `  ${server}  ${path === null ? '' : `${relative(root, path)}  `}${title}`,
    ...lines.slice(0, shown.messageLines).map((line) => `      ${line.slice(0, shown.lineChars)}`),
  ]
}
