import { chmod, lstat, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const ownMode = 0o711
const name = 'vertical-kit-dev-services'

/**
 * Returns the folder for files that the server cannot use at their original place. For root, it is in `/var/lib`:
 * every account can enter it, and only root can create a folder there. For other users, it is in their home.
 */
export function ownFolder(): string {
  return process.getuid?.() === 0 ? `/var/lib/${name}` : join(homedir(), '.cache', name)
}

/**
 * Creates the folder if it is missing and returns its path. Other accounts can enter it, but not list it.
 *
 * @throws Error if the folder belongs to another user, other users can write to it, or it cannot be created
 */
export async function openOwnFolder(path: string): Promise<string> {
  try {
    // With `recursive`, an existing folder does not cause an error.
    await mkdir(path, { recursive: true })
  } catch (cause) {
    throw new Error(
      `PostgreSQL's user cannot enter the given folders, and ${path} cannot be created as a replacement. ` +
        'Use a folder that every user can enter, or run as an unprivileged user.',
      { cause },
    )
  }
  // `stat` would follow a symbolic link of another user and check the folder behind it.
  const found = await lstat(path)
  const isOurs = process.getuid === undefined || found.uid === process.getuid()
  if (!found.isDirectory() || !isOurs || found.mode & 0o022) {
    throw new Error(
      `${path} must be a folder of user ${process.getuid?.()} that no other user can write to: ` +
        'it contains programs and data of PostgreSQL. Remove it and start again.',
    )
  }
  // The umask may have changed the mode.
  if ((found.mode & 0o777) !== ownMode) await chmod(path, ownMode)
  return path
}
