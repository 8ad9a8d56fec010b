import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system account a server runs under when the caller is root, as which PostgreSQL refuses to run. */
export interface ServerAccount {
  readonly uid: number
  readonly gid: number
}

/** Returns the account for the server's processes, or nothing when the caller is not root and needs none. */
export async function findServerAccount(): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Run as an unprivileged user, or add one: useradd --system postgres',
  )
}

/**
 * Returns the first folder on the way to `path` that `account` cannot enter, `path` included: a root's home with
 * mode 0700, for example. Returns nothing when the account can enter them all.
 */
export async function findClosedFolder(path: string, account: ServerAccount): Promise<string | undefined> {
  const parent = dirname(path)
  const closedAbove = parent === path ? undefined : await findClosedFolder(parent, account)
  if (closedAbove !== undefined) return closedAbove
  const { mode, uid, gid } = await stat(path)
  const searchBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return mode & searchBit ? undefined : path
}

/**
 * Refuses a path that `account` cannot reach.
 * Without this check the failure is "error while loading shared libraries", which misleads the reader.
 */
export async function refuseClosedFolder(path: string, account: ServerAccount): Promise<void> {
  const closed = await findClosedFolder(path, account)
  if (closed === undefined) return
  const { mode } = await stat(closed)
  throw new Error(
    `PostgreSQL cannot run as root, so it runs as user ${account.uid}, who cannot enter ${closed} ` +
      `(mode 0${(mode & 0o777).toString(8)}). Work from a folder every user can enter, ` +
      'or run as an unprivileged user.',
  )
}
