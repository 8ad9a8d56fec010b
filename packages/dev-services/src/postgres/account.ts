import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system account that runs the server if this process runs as root, because PostgreSQL refuses to run as root. */
export interface ServerAccount {
  readonly uid: number
  readonly gid: number
}

/** Returns the account for the server's processes, or undefined if this process does not run as root. */
export async function findServerAccount(): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and the system has no user "postgres" or "nobody". ' +
      'Run as an unprivileged user, or add one: useradd --system postgres',
  )
}

/**
 * Returns the first folder on `path`, including `path` itself, that `account` cannot enter. An example is root's home
 * with mode 0700. Returns undefined if the account can enter all of them.
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
 * Throws if `account` cannot enter a folder of the path. Without this check, the error would be the misleading
 * "error while loading shared libraries".
 */
export async function refuseClosedFolder(path: string, account: ServerAccount): Promise<void> {
  const closed = await findClosedFolder(path, account)
  if (closed === undefined) return
  const { mode } = await stat(closed)
  throw new Error(
    `PostgreSQL cannot run as root, so it runs as user ${account.uid}. This user cannot enter ${closed} ` +
      `(mode 0${(mode & 0o777).toString(8)}). Use a folder that every user can enter, ` +
      'or run as an unprivileged user.',
  )
}
