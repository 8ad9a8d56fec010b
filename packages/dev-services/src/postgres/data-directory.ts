import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { refuseClosedFolder, type ServerAccount } from './account.ts'
import { locateData } from './data-folder.ts'
import { type Installation, serverEnvironment } from './installation.ts'

const run = promisify(execFile)

/** An initialised database cluster on disk. */
export interface DataDirectory {
  /** The folder with the cluster and its password: the caller's directory or its replacement. */
  readonly folder: string
  readonly path: string
  /** The random password of the superuser `postgres`, stored next to the cluster. */
  readonly password: string
}

/**
 * Opens the cluster in `directory` and initialises it if it is missing: UTF-8, C locale, password authentication.
 * Repeats an interrupted initialisation, so the returned cluster is always complete.
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
  const passwordFile = join(root, 'password')
  const isInitialised = await access(path).then(
    () => true,
    () => false,
  )
  if (!isInitialised) await initialise(installation, { root, path, passwordFile, initdbFlags })
  return { folder: root, path, password: (await readFile(passwordFile, 'utf8')).trim() }
}

/** Changes the owner of existing data if the account changed, for example after a user `postgres` was added. */
async function giveTo({ uid, gid }: ServerAccount, root: string): Promise<void> {
  if ((await stat(root)).uid !== uid) await run('chown', ['-hR', `${uid}:${gid}`, root])
}

interface NewCluster {
  readonly root: string
  readonly path: string
  readonly passwordFile: string
  readonly initdbFlags: readonly string[]
}

async function initialise(installation: Installation, cluster: NewCluster): Promise<void> {
  const { binDirectory, account } = installation
  const unfinished = join(cluster.root, 'initialising')
  await rm(unfinished, { recursive: true, force: true })
  await writeFile(cluster.passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 })
  if (account) await chown(cluster.passwordFile, account.uid, account.gid)
  await run(
    join(binDirectory, 'initdb'),
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${cluster.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
      ...cluster.initdbFlags,
    ],
    { ...account, cwd: cluster.root, env: serverEnvironment },
  )
  await rename(unfinished, cluster.path)
}
