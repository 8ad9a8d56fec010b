import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Failure, FileReport } from './test-report.ts'

const shown = { files: 15, failures: 40, messageLines: 8, lineChars: 200 }

/** Lists the slowest files of a run, one line per file. Returns no lines if the run has only one file. */
export function slowestFiles(files: readonly FileReport[], root: string): readonly string[] {
  if (files.length < 2) return []
  const slowest = files.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, shown.files)
  return [
    '\nSlowest files',
    ...slowest.map(
      ({ durationMs, project, path }) => `${inSeconds(durationMs)}  ${project}  ${relative(root, path)}`,
    ),
  ]
}

/** Lists the time of the files of each project, the slowest project first. Returns no lines if the run has only one project. */
export function timeByProject(files: readonly FileReport[]): readonly string[] {
  const projects = [...Map.groupBy(files, ({ project }) => project)].map(([project, own]) => ({
    project,
    count: own.length,
    durationMs: own.reduce((sum, file) => sum + file.durationMs, 0),
  }))
  if (projects.length < 2) return []
  const slowestFirst = projects.toSorted((a, b) => b.durationMs - a.durationMs)
  return [
    '\nTime by project',
    ...slowestFirst.map(
      ({ project, count, durationMs }) =>
        `${inSeconds(durationMs)}  ${project}, ${count} ${count === 1 ? 'file' : 'files'}`,
    ),
  ]
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(7)} s`

/** Lists failures under a heading, with the first lines of their messages. The list is printed at the end of the log. */
export function failureList(heading: string, failures: readonly Failure[], root: string): readonly string[] {
  if (failures.length === 0) return []
  const lines = failures.slice(0, shown.failures).flatMap((failure) => describe(failure, root))
  const more = failures.length - shown.failures
  return [`\n${heading}`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])]
}

function describe({ where, title, message }: Failure, root: string): readonly string[] {
  const lines = stripVTControlCharacters(message)
    .replaceAll(root, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [
    `  ${where === null ? '' : `${where}  `}${title}`,
    ...lines.slice(0, shown.messageLines).map((line) => `      ${line.slice(0, shown.lineChars)}`),
  ]
}
