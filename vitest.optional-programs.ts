import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Names the programs without which a run fails, separated by commas: `VK_TEST_REQUIRE=ceph,postgres-15,chromium`. */
const requireVariable = 'VK_TEST_REQUIRE'

const names = ['ceph', 'postgres-15', 'chromium'] as const
export type ProgramName = (typeof names)[number]

/** A program that tests use where it is installed. Without it they are left out, or fail when it is required. */
export interface OptionalProgram {
  readonly title: string
  /** The files that are looked for and not there; none when the program is installed. */
  readonly missing: readonly string[]
  readonly isRequired: boolean
  /** How to install it. */
  readonly advice: string
}

/** The programs of PostgreSQL 15, the oldest version that is supported, where Debian installs them. */
export const postgres15Folder = '/usr/lib/postgresql/15/bin'

const cephPrograms = [
  'radosgw',
  'radosgw-admin',
  'ceph',
  'ceph-mon',
  'ceph-osd',
  'ceph-authtool',
  'monmaptool',
]

/**
 * Looks for the programs on this machine.
 * @throws {TypeError} for a name in VK_TEST_REQUIRE that is not in the list: a typing error must not leave tests out
 */
export function findOptionalPrograms(
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<ProgramName, OptionalProgram>> {
  const required = readRequired(environment[requireVariable] ?? '')
  const chromium = chromiumPath(environment)
  const folders = (environment['PATH'] ?? '').split(delimiter)
  return {
    ceph: {
      title: 'Ceph',
      // The script that starts Ceph asks with curl whether it is up.
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
    chromium: {
      title: 'Chromium',
      missing: [chromium].filter((path) => !existsSync(path)),
      isRequired: required.includes('chromium'),
      advice: 'Debian: apt-get install chromium; or set CHROMIUM to the path of an installed one',
    },
  }
}

/** The browser that tests drive: `$CHROMIUM`, or Debian's. */
export function chromiumPath(environment: NodeJS.ProcessEnv = process.env): string {
  return environment['CHROMIUM'] ?? '/usr/bin/chromium'
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
