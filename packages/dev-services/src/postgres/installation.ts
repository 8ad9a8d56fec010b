import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findServerAccount, refuseClosedFolder, type ServerAccount } from './account.ts'
import { findBundledPackage, preparePrograms } from './bundled-programs.ts'
import { ownFolder } from './own-folder.ts'

const run = promisify(execFile)

/** The programs of a PostgreSQL installation. `account` can run them. */
export interface Installation {
  readonly binDirectory: string
  /** The reported version, such as `18.4` or `15.14`. */
  readonly version: string
  readonly account: ServerAccount | undefined
}

/** The environment of PostgreSQL's programs: English, code point order, and no PGDATA or PGOPTIONS of this process. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' }

/** Finds the bundled PostgreSQL or the one in `binaries`, and reads its version. */
export async function findInstallation(binaries: string | undefined): Promise<Installation> {
  const account = await findServerAccount()
  const found =
    binaries ?? (await preparePrograms(await findBundledPackage(), { account, ownFolder: ownFolder() }))
  const binDirectory = await realpath(found)
  if (account) await refuseClosedFolder(binDirectory, account)
  const { stdout } = await run(join(binDirectory, 'postgres'), ['--version'], {
    ...account,
    cwd: binDirectory,
    env: serverEnvironment,
  })
  const version = /\d+(\.\d+)?/.exec(stdout)?.[0]
  if (!version) throw new Error(`${binDirectory}/postgres returned no version: ${stdout}`)
  return { binDirectory, version, account }
}
