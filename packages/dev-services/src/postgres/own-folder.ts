import { chmod, lstat, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const ownMode = 0o711
const name = 'vertical-kit-dev-services'

/**
 * The folder for files that cannot stay where the caller has them. Root's is in `/var/lib`: every account can enter
 * it, and only root can create a folder there. Other users have one in their home.
 */
export function ownFolder(): string {
  return process.getuid?.() === 0 ? `/var/lib/${name}` : join(homedir(), '.cache', name)
}

/**
 * Creates the folder when it is missing, and returns its path. Other accounts can pass through it, but not list it.
 *
 * @throws Error when the folder belongs to another user, others can write to it, or it cannot be created
 */
export async function openOwnFolder(path: string): Promise<string> {
  try {
    // Recursive: a folder that is there already is no error.
    await mkdir(path, { recursive: true })
  } catch (cause) {
    throw new Error(
      `PostgreSQL's user cannot use the folders it was given, and ${path} cannot be created instead. ` +
        'Work from a folder every user can enter, or run as an unprivileged user.',
      { cause },
    )
  }
  // Not `stat`: somebody else's symbolic link would pass for the folder it leads to.
  const found = await lstat(path)
  const isOurs = process.getuid === undefined || found.uid === process.getuid()
  if (!found.isDirectory() || !isOurs || found.mode & 0o022) {
    throw new Error(
      `${path} holds programs and data of PostgreSQL, so it must be a folder of user ${process.getuid?.()} ` +
        'that nobody else can write to, and it is not. Remove it, and start again.',
    )
  }
  // The umask may have changed the mode.
  if ((found.mode & 0o777) !== ownMode) await chmod(path, ownMode)
  return path
}
