import { expect, test } from 'vitest'
import type { FileReport } from '../../test-report.ts'
import { timeByProject } from '../../test-summary.ts'

const fileOf = (project: string, durationMs: number): FileReport => ({
  ...{ project, path: '/x.test.ts', passed: 1, failed: 0, skipped: 0 },
  durationMs,
})

test('the times of the files are added for each project, and the slowest project is the first', () => {
  const files = [fileOf('notes', 1_000), fileOf('browser', 90_000), fileOf('notes', 2_500)]
  expect(timeByProject(files)).toEqual([
    '\nTime by project',
    '   90.0 s  browser, 1 file',
    '    3.5 s  notes, 2 files',
  ])
})

test('a run of one project has no times by project', () => {
  expect(timeByProject([fileOf('notes', 1_000), fileOf('notes', 2_500)])).toEqual([])
})
