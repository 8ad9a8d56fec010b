import { expect, test } from 'vitest'
import type { OptionalProgram, ProgramName } from '../../../vitest.optional-programs.ts'
import type { FileReport } from '../../test-report.ts'
import { describeGaps, findGaps } from '../../untested.ts'

const fileOf = (path: string, counts: Partial<FileReport> = {}): FileReport => ({
  ...{ project: 'p', path: `/kit/${path}`, durationMs: 1, passed: 0, failed: 0, skipped: 0 },
  ...counts,
})

const program = (title: string, state: Partial<OptionalProgram>): OptionalProgram => ({
  ...{ title, missing: [], isRequired: false, advice: `install ${title}` },
  ...state,
})

/** Returns the programs. All of them have the given state. */
const programsWith = (state: Partial<OptionalProgram>): Record<ProgramName, OptionalProgram> => ({
  ceph: program('Ceph', state),
  'postgres-15': program('PostgreSQL 15', state),
  pgbouncer: program('PgBouncer', state),
  patroni: program('Patroni', state),
  chromium: program('Chromium', state),
  firefox: program('Firefox', state),
  containers: program('Containers', state),
  promtool: program('promtool', state),
  clamav: program('ClamAV', state),
})

const files = [
  fileOf('packages/attachments/test/storage-ceph.test.ts', { skipped: 1 }),
  fileOf('packages/notes/test/config.test.ts', { passed: 10, failed: 1 }),
  fileOf('packages/core-audit/test/config.test.ts', { passed: 5, skipped: 1 }),
  fileOf('packages/ui-client/test/client.test.ts', { passed: 3 }),
  fileOf('packages/work-center/test/commands/claim-task.test.ts', { passed: 2 }),
  fileOf('apps/demo-host/test/browser/notes.test.ts', { skipped: 7 }),
  fileOf('apps/demo-host/test/browser/firefox.test.ts', { skipped: 5 }),
  fileOf('apps/demo-host/test/deployment/image.test.ts', { skipped: 3 }),
  fileOf('apps/demo-host/test/drills/cluster.test.ts', { skipped: 1 }),
  fileOf('apps/demo-host/test/telemetry/monitoring.test.ts', { passed: 1, skipped: 2 }),
  fileOf('packages/attachments/test/scanning/clamd.test.ts', { passed: 7, skipped: 1 }),
]

test('the list contains every missing program with its tests and its installation', () => {
  const lines = describeGaps(findGaps(files, programsWith({ missing: ['/bin/a', '/bin/b'] }), '/kit'))
  expect(lines.join('\n')).toBe(`
Not tested because programs are missing on this machine
  Ceph: the storage tests of attachments on Ceph's object gateway
      missing: /bin/a, /bin/b
      install Ceph
  PostgreSQL 15: 27 tests of core-audit, attachments, notes, work-center on the oldest supported PostgreSQL
      missing: /bin/a, /bin/b
      install PostgreSQL 15
  PgBouncer: 2 tests of attachments, document-actions, work-center through a connection pooler
      missing: /bin/a, /bin/b
      install PgBouncer
  Patroni: the failover of a replicated database
      missing: /bin/a, /bin/b
      install Patroni
  Chromium: 7 tests of the demo's page in a browser
      missing: /bin/a, /bin/b
      install Chromium
  Firefox: 5 tests of the demo's page in a second browser
      missing: /bin/a, /bin/b
      install Firefox
  Containers: the tests of the image in a container
      missing: /bin/a, /bin/b
      install Containers
  promtool: the checks of alert rules and metrics for Prometheus
      missing: /bin/a, /bin/b
      install promtool
  ClamAV: the malware scan of attachments with ClamAV
      missing: /bin/a, /bin/b
      install ClamAV`)
})

test('the list is empty if every program is installed', () => {
  expect(describeGaps(findGaps(files, programsWith({}), '/kit'))).toEqual([])
})

test('the list omits a required program, because its tests fail', () => {
  const programs = programsWith({ missing: ['/bin/a'], isRequired: true })
  expect(describeGaps(findGaps(files, programs, '/kit'))).toEqual([])
})

test('the list omits a program if the run selected none of its tests', () => {
  const selected = [fileOf('packages/ui-client/test/client.test.ts', { passed: 3 })]
  expect(findGaps(selected, programsWith({ missing: ['/bin/a'] }), '/kit')).toEqual([])
})
