import { basename, join, matchesGlob, sep } from 'node:path'
import { databaseSuites, pooledFiles, pooledSuites, withoutDatabase } from '../vitest.database-suites.ts'
import type { OptionalProgram, ProgramName } from '../vitest.optional-programs.ts'
import type { FileReport } from './test-report.ts'

/** Tests that a run omitted because a program is missing. */
export interface Gap {
  readonly program: OptionalProgram
  /** A noun phrase that describes the tests. */
  readonly tests: string
}

type Programs = Readonly<Record<ProgramName, OptionalProgram>>

/** Returns the files with tests that run a second time on the oldest supported PostgreSQL. */
export function databaseSuiteFiles(files: readonly FileReport[], root: string): readonly FileReport[] {
  const folders = databaseSuites.map((name) => join(root, 'packages', name) + sep)
  return files.filter(
    ({ path }) =>
      folders.some((folder) => path.startsWith(folder)) && !matchesGlob(basename(path), withoutDatabase),
  )
}

const clusterTests = (root: string): string =>
  join(root, 'apps', 'demo-host', 'test', 'drills', 'cluster.test.ts')

/** Finds the tests that were omitted because a program is missing. Tests of a required program fail. */
export function findGaps(files: readonly FileReport[], programs: Programs, root: string): readonly Gap[] {
  const cephFiles = files.filter(({ path }) => basename(path) === 'storage-ceph.test.ts')
  const browserFolder = join(root, 'apps', 'demo-host', 'test', 'browser') + sep
  const firefoxFile = join(browserFolder, 'firefox.test.ts')
  const pageExample = join(root, 'examples', 'test', 'notes-page.test.ts')
  const browserFiles = files.filter(
    ({ path }) => (path.startsWith(browserFolder) && path !== firefoxFile) || path === pageExample,
  )
  const firefoxFiles = files.filter(({ path }) => path === firefoxFile)
  const imageFiles = files.filter(({ path }) => basename(path) === 'image.test.ts')
  const onDatabase = databaseSuiteFiles(files, root)
  const promtoolFiles = files.filter(({ path }) => basename(path) === 'monitoring.test.ts')
  const clamavFiles = files.filter(({ path }) => basename(path) === 'clamd.test.ts')
  const suites = databaseSuites.filter((name) =>
    onDatabase.some(({ path }) => path.startsWith(join(root, 'packages', name) + sep)),
  )
  const pooled = files.filter(({ path }) =>
    pooledSuites.some((name) => matchesGlob(path, join(root, 'packages', name, pooledFiles))),
  )
  const gaps = [
    { name: 'ceph', files: cephFiles, tests: "the storage tests of attachments on Ceph's object gateway" },
    {
      name: 'postgres-15',
      files: onDatabase,
      tests: `${countTests(onDatabase)} tests of ${suites.join(', ')} on the oldest supported PostgreSQL`,
    },
    {
      name: 'pgbouncer',
      files: pooled,
      tests: `${countTests(pooled)} tests of ${pooledSuites.join(', ')} through a connection pooler`,
    },
    {
      name: 'patroni',
      files: files.filter(({ path }) => path === clusterTests(root)),
      tests: 'the failover of a replicated database',
    },
    {
      name: 'chromium',
      files: browserFiles,
      tests: `${countTests(browserFiles)} tests of the demo's page in a browser`,
    },
    {
      name: 'firefox',
      files: firefoxFiles,
      tests: `${countTests(firefoxFiles)} tests of the demo's page in a second browser`,
    },
    { name: 'containers', files: imageFiles, tests: 'the tests of the image in a container' },
    { name: 'promtool', files: promtoolFiles, tests: 'the checks of alert rules and metrics for Prometheus' },
    { name: 'clamav', files: clamavFiles, tests: 'the malware scan of attachments with ClamAV' },
  ] as const
  return gaps
    .filter((gap) => gap.files.length > 0 && isOmitted(programs[gap.name]))
    .map(({ name, tests }) => ({ program: programs[name], tests }))
}

/** Describes the omitted tests and how to run them. Returns no lines if the run omitted no tests. */
export function describeGaps(gaps: readonly Gap[]): readonly string[] {
  if (gaps.length === 0) return []
  const lines = gaps.flatMap(({ program, tests }) => [
    `  ${program.title}: ${tests}`,
    `      missing: ${program.missing.join(', ')}`,
    `      ${program.advice}`,
  ])
  return ['\nNot tested because programs are missing on this machine', ...lines]
}

function isOmitted({ missing, isRequired }: OptionalProgram): boolean {
  return missing.length > 0 && !isRequired
}

function countTests(files: readonly FileReport[]): number {
  return files.reduce((total, { passed, failed, skipped }) => total + passed + failed + skipped, 0)
}
