import { existsSync } from 'node:fs'
import { mkdtemp, readlink, realpath, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { releaseDataDirectory } from './orphan.ts'
import { openOwnFolder, ownFolder } from './own-folder.ts'

/** A symbolic link in the caller's directory to the folder that holds its data instead. */
const linkName = 'moved-to'
const folderPrefix = 'postgres-'

/**
 * Returns the folder that holds the data of `directory`: the directory itself, or a folder of root's own when `account`
 * cannot enter the directory. Data stays where it was created.
 */
export async function locateData(directory: string, account: ServerAccount | undefined): Promise<string> {
  const moved = await findMovedData(directory)
  if (moved !== undefined) return moved
  const isHere = account === undefined || existsSync(join(directory, 'data'))
  if (isHere || (await findClosedFolder(dirname(directory), account)) === undefined) return directory
  const folder = await mkdtemp(join(await openOwnFolder(ownFolder()), folderPrefix))
  // A link to a folder that is gone, if any: the directory outlived its container.
  await rm(join(directory, linkName), { force: true })
  await symlink(folder, join(directory, linkName))
  return folder
}

/** Returns nothing for a link that this module did not make: root changes owners in that folder, and deletes it. */
async function findMovedData(directory: string): Promise<string | undefined> {
  const target = await readlink(join(directory, linkName)).catch(() => undefined)
  if (target === undefined || dirname(target) !== ownFolder()) return undefined
  return basename(target).startsWith(folderPrefix) && existsSync(target) ? target : undefined
}

/**
 * Deletes the data that `startPostgres` keeps for `directory`, wherever it is; other files in the directory stay. A
 * server left behind by a killed run is stopped first. Without such data nothing happens.
 *
 * @throws Error when the data is in use by a living process
 */
export async function removePostgresData(directory: string): Promise<void> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) return
  const moved = await findMovedData(root)
  await releaseDataDirectory(join(await realpath(moved ?? root), 'data'))
  const own = ['data', 'initialising', 'password', linkName].map((name) => join(root, name))
  for (const path of moved === undefined ? own : [moved, ...own]) {
    await rm(path, { recursive: true, force: true })
  }
}
