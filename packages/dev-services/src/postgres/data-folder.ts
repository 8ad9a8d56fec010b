import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readlink, realpath, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { releaseDataDirectory } from './orphan.ts'
import { openOwnFolder, ownFolder } from './own-folder.ts'

/** The name of a symbolic link in the caller's directory. The link leads to the replacement folder with the data. */
const linkName = 'moved-to'
const folderPrefix = 'postgres-'

/** The name of the folder of an unfinished initialisation. It contains the pid of the process that initialises. */
export const unfinishedName = /^initialising-(\d+)-\w{6}$/

/**
 * Returns the folder with the data of `directory`: the directory itself, or a folder of root if `account` cannot enter
 * the directory. Existing data is never moved.
 */
export async function locateData(directory: string, account: ServerAccount | undefined): Promise<string> {
  const moved = await findMovedData(directory)
  if (moved !== undefined) return moved
  const isHere = account === undefined || existsSync(join(directory, 'data'))
  if (isHere || (await findClosedFolder(dirname(directory), account)) === undefined) return directory
  const folder = await mkdtemp(join(await openOwnFolder(ownFolder()), folderPrefix))
  try {
    await symlink(folder, join(directory, linkName))
    return folder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await rmdir(folder)
    // Keep the link of a concurrent start, which uses the folder. Remove a link to a missing folder: such a link remains
    // if the directory is kept but its container is replaced.
    if ((await findMovedData(directory)) === undefined) await rm(join(directory, linkName), { force: true })
    return locateData(directory, account)
  }
}

/** Ignores links that this module did not create, because root changes owners in the linked folder and deletes it. */
async function findMovedData(directory: string): Promise<string | undefined> {
  const target = await readlink(join(directory, linkName)).catch(() => undefined)
  if (target === undefined || dirname(target) !== ownFolder()) return undefined
  return basename(target).startsWith(folderPrefix) && existsSync(target) ? target : undefined
}

/**
 * Deletes the data that `startPostgres` stores for `directory`, also if it is in another folder. Keeps all other files
 * and stops an orphaned server of a killed run first. Does nothing if no data exists.
 *
 * @throws Error if a running process uses the data
 */
export async function removePostgresData(directory: string): Promise<void> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return
  const moved = await findMovedData(root)
  await releaseDataDirectory(join(await realpath(moved ?? root), 'data'))
  // A process that is killed while it deletes leaves a folder that the next start removes, and no incomplete data.
  const data = join(moved ?? root, 'data')
  await rename(data, join(moved ?? root, `initialising-${process.pid}-delete`)).catch(() => {})
  const unfinished = (await readdir(root)).filter((name) => unfinishedName.test(name))
  const own = ['data', 'password', linkName, ...unfinished].map((name) => join(root, name))
  for (const path of moved === undefined ? own : [moved, ...own]) {
    await rm(path, { recursive: true, force: true })
  }
}
