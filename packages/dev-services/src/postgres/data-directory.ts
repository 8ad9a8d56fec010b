import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { refuseClosedFolder, type ServerAccount } from './account.ts'
import { locateData, unfinishedName } from './data-folder.ts'
import { type Installation, serverEnvironment } from './installation.ts'
import { describeProcess } from './running-process.ts'

const run = promisify(execFile)

/** An initialised database cluster on disk. */
export interface DataDirectory {
  /** The folder with the cluster: the caller's directory or its replacement. */
  readonly folder: string
  readonly path: string
  /** The random password of the superuser `postgres`, stored in the cluster. */
  readonly password: string
}

/**
 * Opens the cluster in `directory` and initialises it if it is missing: UTF-8, C locale, password authentication.
 * Repeats an interrupted initialisation, so the returned cluster is always complete. Concurrent calls return the same
 * cluster.
 */
export async function openDataDirectory(
  installation: Installation,
  directory: string,
  initdbFlags: readonly string[] = [],
): Promise<DataDirectory> {
  await mkdir(directory, { recursive: true })
  const root = await realpath(await locateData(await realpath(directory), installation.account))
  if (installation.account) {
    await refuseClosedFolder(dirname(root), installation.account)
    await giveTo(installation.account, root)
  }
  const path = join(root, 'data')
  await removeInterrupted(root)
  if (!existsSync(path)) await initialise(installation, { root, path, initdbFlags })
  return { folder: root, path, password: await readPassword(root, path) }
}

/** Removes the files of initialisations that were interrupted because their process ended. */
async function removeInterrupted(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = unfinishedName.exec(name)?.[1]
    // The folder of a running process belongs to a concurrent start.
    if (pid === undefined || (await describeProcess(Number(pid)))) continue
    await rm(join(root, name), { recursive: true, force: true })
  }
}

async function readPassword(root: string, path: string): Promise<string> {
  const file = join(path, 'password')
  // Existing folders of local demos have the password next to the cluster, where it was stored before.
  return (await readFile(existsSync(file) ? file : join(root, 'password'), 'utf8')).trim()
}

/** Changes the owner of existing data if the account changed, for example after a user `postgres` was added. */
async function giveTo({ uid, gid }: ServerAccount, root: string): Promise<void> {
  if ((await stat(root)).uid !== uid) await run('chown', ['-hR', `${uid}:${gid}`, root])
}

interface NewCluster {
  readonly root: string
  readonly path: string
  readonly initdbFlags: readonly string[]
}

/**
 * Initialises a cluster in a folder of its own and then moves it to its place, together with its password. Therefore
 * concurrent starts cannot mix their files. If another start was faster, its cluster stays.
 */
async function initialise(
  installation: Installation,
  { root, path, initdbFlags }: NewCluster,
): Promise<void> {
  const { binDirectory, account } = installation
  const unfinished = await mkdtemp(join(root, `initialising-${process.pid}-`))
  try {
    const [cluster, passwordFile] = [join(unfinished, 'data'), join(unfinished, 'password')]
    await writeFile(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 })
    if (account) await giveTo(account, unfinished)
    await run(
      join(binDirectory, 'initdb'),
      [
        `--pgdata=${cluster}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
        ...initdbFlags,
      ],
      { ...account, cwd: root, env: serverEnvironment },
    )
    await rename(passwordFile, join(cluster, 'password'))
    await renameUnlessTaken(cluster, path)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function renameUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    // POSIX allows both codes for a folder that is not empty.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}
