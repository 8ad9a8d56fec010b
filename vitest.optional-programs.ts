import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The variable that lists the required programs, separated by commas: `VK_TEST_REQUIRE=ceph,patroni`. */
const requireVariable = 'VK_TEST_REQUIRE'

const names = [
  'ceph',
  'postgres-15',
  'pgbouncer',
  'patroni',
  'chromium',
  'firefox',
  'containers',
  'promtool',
  'clamav',
] as const
export type ProgramName = (typeof names)[number]

/** A program that some tests use. Without the program, these tests are omitted, or fail if it is required. */
export interface OptionalProgram {
  readonly title: string
  /** The missing files. Empty if the program is installed. */
  readonly missing: readonly string[]
  readonly isRequired: boolean
  /** The installation instructions. */
  readonly advice: string
}

/** The program folder of PostgreSQL 15 on Debian. PostgreSQL 15 is the oldest supported version. */
export const postgres15Folder = '/usr/lib/postgresql/15/bin'

/** Debian's daemon of ClamAV. */
export const clamdPath = '/usr/sbin/clamd'

/** Debian's PgBouncer. */
export const pgbouncerPath = '/usr/sbin/pgbouncer'

const cephPrograms = [
  'radosgw',
  'radosgw-admin',
  'ceph',
  'ceph-mon',
  'ceph-osd',
  'ceph-authtool',
  'monmaptool',
]

/** The programs that build and run images. Root runs them, because rootless containers need set-up of the machine. */
const containerPrograms = ['buildah', 'podman', 'runc']

/**
 * Finds the programs on this machine.
 * @throws {TypeError} for an unknown name in VK_TEST_REQUIRE, because a typing error must not cause omitted tests
 */
export function findOptionalPrograms(
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<ProgramName, OptionalProgram>> {
  const required = readRequired(environment[requireVariable] ?? '')
  const chromium = chromiumPath(environment)
  const firefox = firefoxPath(environment)
  const folders = (environment['PATH'] ?? '').split(delimiter)
  return {
    ceph: {
      title: 'Ceph',
      // The script that starts Ceph checks with curl whether Ceph is ready.
      missing: [...cephPrograms, 'curl'].filter((program) => !isOnPath(program, folders)),
      isRequired: required.includes('ceph'),
      advice: 'Debian: apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-common curl',
    },
    'postgres-15': {
      title: 'PostgreSQL 15',
      missing: [postgres15Folder].filter((path) => !existsSync(path)),
      isRequired: required.includes('postgres-15'),
      advice: 'Debian 12: apt-get install postgresql-15',
    },
    pgbouncer: {
      title: 'PgBouncer',
      missing: [pgbouncerPath].filter((path) => !existsSync(path)),
      isRequired: required.includes('pgbouncer'),
      advice: 'Debian: apt-get install pgbouncer',
    },
    patroni: {
      title: 'Patroni with etcd and HAProxy',
      missing: [
        '/usr/bin/patroni',
        '/usr/bin/etcd',
        '/usr/sbin/haproxy',
        pgbouncerPath,
        postgres15Folder,
      ].filter((path) => !existsSync(path)),
      isRequired: required.includes('patroni'),
      advice:
        'Debian 12: apt-get install --no-install-recommends patroni etcd-server haproxy pgbouncer postgresql-15',
    },
    chromium: {
      title: 'Chromium',
      missing: [chromium].filter((path) => !existsSync(path)),
      isRequired: required.includes('chromium'),
      advice: 'Debian: apt-get install chromium-headless-shell; or set CHROMIUM to the path of a Chromium',
    },
    firefox: {
      title: 'Firefox',
      missing: [firefox].filter((path) => !existsSync(path)),
      isRequired: required.includes('firefox'),
      advice: 'Debian: apt-get install firefox-esr; or set FIREFOX to the path of an installed one',
    },
    containers: {
      title: 'Containers',
      missing: [
        ...containerPrograms.filter((program) => !isOnPath(program, folders)),
        ...(process.getuid?.() === 0 ? [] : ['the rights of root']),
      ],
      isRequired: required.includes('containers'),
      advice: 'Debian, as root: apt-get install --no-install-recommends buildah podman runc',
    },
    promtool: {
      title: 'promtool',
      missing: ['promtool'].filter((program) => !isOnPath(program, folders)),
      isRequired: required.includes('promtool'),
      advice: 'Debian: apt-get install --no-install-recommends prometheus',
    },
    clamav: {
      title: 'ClamAV',
      missing: [clamdPath].filter((path) => !existsSync(path)),
      isRequired: required.includes('clamav'),
      advice: 'Debian: apt-get install --no-install-recommends clamav-daemon',
    },
  }
}

// Chromium without its window, which loads pages in half of the time. Debian's script in /usr/bin would start it as its child,
// and a stop of the script would not stop the browser.
const headlessShellPath = '/usr/lib/chromium/chromium-headless-shell'

/**
 * Returns the path of the first browser for tests: the value of `CHROMIUM`, or the path of Debian's headless shell. If only
 * Debian's Chromium is installed, returns its path.
 */
export function chromiumPath(environment: NodeJS.ProcessEnv = process.env): string {
  const chromium = environment['CHROMIUM']
  if (chromium !== undefined) return chromium
  return [headlessShellPath, '/usr/bin/chromium'].find((path) => existsSync(path)) ?? headlessShellPath
}

/** Returns the path of the second browser for tests: the value of `FIREFOX`, or the path of Debian's Firefox ESR. */
export function firefoxPath(environment: NodeJS.ProcessEnv = process.env): string {
  return environment['FIREFOX'] ?? '/usr/bin/firefox-esr'
}

function readRequired(list: string): readonly string[] {
  const required = list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  const unknown = required.find((name) => !names.some((known) => known === name))
  if (unknown !== undefined) {
    throw new TypeError(`${requireVariable}: "${unknown}" is not one of ${names.join(', ')}`)
  }
  return required
}

function isOnPath(program: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
