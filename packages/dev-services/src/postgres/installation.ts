import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findServerAccount, refuseClosedFolder, type ServerAccount } from './account.ts'
import { findBundledPackage, preparePrograms } from './bundled-programs.ts'
import { ownFolder } from './own-folder.ts'

const run = promisify(execFile)

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
  if (!version) throw new Error(`${binDirectory}/postgres does not tell its version: ${stdout}`)
  return { binDirectory, version, account }
}
