import { execFile } from 'node:child_process'
import { chmod, chown, cp, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findServerAccount } from '../../src/postgres/account.ts'
import { findBundledPackage, preparePrograms } from '../../src/postgres/bundled-programs.ts'
import { serverEnvironment } from '../../src/postgres/installation.ts'
import { isRoot, temporaryFolder } from './harness.ts'

const run = promisify(execFile)
const account = await findServerAccount()
const script = fileURLToPath(new URL('./fixtures/preparing-programs.ts', import.meta.url))

/** Installs the package like npm does without install scripts, so symbolic links are missing. */
async function installWithoutScripts(parent: string): Promise<string> {
  const folder = join(parent, 'package')
  const filter = async (path: string) => !(await lstat(path)).isSymbolicLink()
  await cp(await findBundledPackage(), folder, { recursive: true, filter })
  return folder
}

/** Prepares the programs in a separate process. */
async function prepareElsewhere(...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [script, ...args])).stdout
}

/** Creates a folder that every user can enter. */
async function openFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await chmod(folder, 0o755)
  return folder
}

async function versionOf(programs: string): Promise<string> {
  const options = { ...account, cwd: '/', env: serverEnvironment }
  return (await run(join(programs, 'postgres'), ['--version'], options)).stdout
}

test('preparePrograms creates missing links of the libraries', async () => {
  const parent = await openFolder()
  const packageFolder = await installWithoutScripts(parent)
  const ownFolder = join(parent, 'own')
  await expect(versionOf(join(packageFolder, 'native', 'bin'))).rejects.toThrow(/libicu|Library not loaded/)

  const programs = await preparePrograms(packageFolder, { account, ownFolder })
  expect(programs).toBe(join(packageFolder, 'native', 'bin'))
  expect(await versionOf(programs)).toContain('(PostgreSQL) 18.')
  expect(await readdir(parent)).toEqual(['package'])
})

test('several processes can create the links concurrently', async () => {
  const parent = await openFolder()
  const packageFolder = await installWithoutScripts(parent)
  const prepare = () => prepareElsewhere(packageFolder, join(parent, 'own'))
  const programs = join(packageFolder, 'native', 'bin')
  expect(await Promise.all([prepare(), prepare(), prepare()])).toEqual([programs, programs, programs])
  expect(await versionOf(programs)).toContain('(PostgreSQL) 18.')
})

test('preparePrograms copies a read-only package and creates the links in the copy', async () => {
  const parent = await openFolder()
  const packageFolder = await installWithoutScripts(parent)
  const library = join(packageFolder, 'native', 'lib')
  await chmod(library, 0o555)
  const home = join(parent, 'home')
  await mkdir(home)
  if (account) await chown(home, account.uid, account.gid)

  // Root can write to every folder, so prepare the programs as another user.
  const user = account ? [String(account.uid), String(account.gid)] : []
  const programs = await prepareElsewhere(packageFolder, join(home, 'own'), ...user)
  await chmod(library, 0o755)
  expect(programs).toMatch(new RegExp(`^${home}/own/[a-z0-9-]+-18\\.[^/]+/native/bin$`))
  expect(await versionOf(programs)).toContain('(PostgreSQL) 18.')
})

test('preparePrograms copies programs once if the server cannot enter their folder', async () => {
  const parent = await temporaryFolder()
  const packageFolder = await installWithoutScripts(parent)
  // An installation with the umask 077 creates these modes.
  await run('chmod', ['-R', 'go-rwx', parent])
  const ownFolder = join(await openFolder(), 'own')

  const prepare = () => preparePrograms(packageFolder, { account, ownFolder })
  const [first = '', ...others] = await Promise.all([prepare(), prepare(), prepare()])
  expect(new Set(others)).toEqual(new Set([first]))
  expect(await versionOf(first)).toContain('(PostgreSQL) 18.')
  if (!isRoot) return expect(first).toBe(join(packageFolder, 'native', 'bin'))

  // The folder contains one copy and nothing unfinished. The server's account cannot write to the copy.
  expect(await readdir(ownFolder)).toEqual([expect.stringMatching(/-18\./)])
  expect(await stat(join(first, 'postgres'))).toMatchObject({ uid: 0, mode: 0o100755 })
  const { ino } = await stat(first)
  expect(await prepare()).toBe(first)
  expect((await stat(first)).ino).toBe(ino)
})
