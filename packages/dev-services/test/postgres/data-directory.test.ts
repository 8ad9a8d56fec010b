import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removePostgresData, startPostgres } from '@vertical-kit/dev-services'
import { expect, onTestFinished, test } from 'vitest'
import { findServerAccount } from '../../src/postgres/account.ts'
import { locateData } from '../../src/postgres/data-folder.ts'
import { findInstallation } from '../../src/postgres/installation.ts'
import { ask, isRoot, startForTest, temporaryFolder } from './harness.ts'

/** Returns the pid of a process that has ended. */
async function endedPid(): Promise<number> {
  const ended = execFile('true')
  await once(ended, 'exit')
  return ended.pid as number
}

test('the next start repeats an interrupted initialisation and removes its files', async () => {
  const directory = await temporaryFolder()
  const unfinished = join(directory, `initialising-${await endedPid()}-x1Y2z3`)
  await mkdir(join(unfinished, 'data'), { recursive: true })
  await writeFile(join(unfinished, 'data', 'PG_VERSION'), '18\n')
  await writeFile(join(unfinished, 'password'), 'half')
  const server = await startForTest({ directory })
  expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await readdir(directory)).toEqual(['data'])
})

test('a start reads the password next to the cluster, where older versions stored it', async () => {
  const directory = await temporaryFolder()
  const first = await startForTest({ directory })
  await first.stop()
  await rename(join(directory, 'data', 'password'), join(directory, 'password'))
  const second = await startForTest({ directory, port: first.port })
  expect(second.adminUrl).toBe(first.adminUrl)
  await second.stop()
  await removePostgresData(directory)
  expect(await readdir(directory)).toEqual([])
})

/**
 * Creates programs whose `initdb` waits after it has initialised the cluster. `reached` resolves when it waits, and
 * `release` lets it end.
 */
async function heldPrograms() {
  const { binDirectory } = await findInstallation(undefined)
  const folder = await temporaryFolder()
  const [reached, released] = [join(folder, 'reached'), join(folder, 'released')]
  await promisify(execFile)('mkfifo', [reached, released])
  await writeFile(join(folder, 'postgres'), `#!/bin/sh\nexec ${binDirectory}/postgres "$@"\n`)
  await writeFile(
    join(folder, 'initdb'),
    `#!/bin/sh\n${binDirectory}/initdb "$@" && echo > ${reached} && read -r _ < ${released}\n`,
  )
  // The server's account runs the programs and opens the pipes.
  await Promise.all([
    ...[folder, join(folder, 'postgres'), join(folder, 'initdb')].map((path) => chmod(path, 0o755)),
    ...[reached, released].map((path) => chmod(path, 0o666)),
  ])
  return { binaries: folder, reached: readFile(reached), release: () => writeFile(released, '\n') }
}

test.each([
  ['', temporaryFolder],
  [' that only root can enter', closedDirectory],
])(
  'of two concurrent starts with a new directory%s, one succeeds and its data stays usable',
  async (_, open) => {
    const directory = await open()
    const { binaries, reached, release } = await heldPrograms()
    const late = startPostgres({ directory, binaries }).catch((error: unknown) => error)
    await reached
    const server = await startForTest({ directory })
    await ask(server.adminUrl, 'create table kept as select 42 as answer')
    await release()
    expect(await late).toMatchObject({
      message: expect.stringContaining(`is in use: process ${process.pid}`),
    })
    await server.stop()

    expect(await readdir(server.directory)).toEqual(['data'])
    const again = await startForTest({ directory })
    expect(await ask(again.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
  },
)

/** Creates a directory below a folder that only its owner can enter. */
async function closedDirectory(): Promise<string> {
  const closed = await realpath(await temporaryFolder())
  await chmod(closed, 0o700)
  const directory = join(closed, 'postgres')
  onTestFinished(() => removePostgresData(directory))
  return directory
}

test('data is kept between runs if only root can enter the directory', async () => {
  const directory = await closedDirectory()
  const first = await startForTest({ directory })
  const place = isRoot
    ? /^\/var\/lib\/vertical-kit-dev-services\/postgres-\w+$/
    : new RegExp(`^${directory}$`)
  expect(first.directory).toMatch(place)
  await ask(first.adminUrl, 'create table kept as select 42 as answer')
  await first.stop()

  const second = await startForTest({ directory })
  expect(second.directory).toBe(first.directory)
  expect(second.url('x').replace(/:\d+\//, '/')).toBe(first.url('x').replace(/:\d+\//, '/'))
  expect(await ask(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test.runIf(isRoot)('two concurrent starts that cannot use the directory use the same folder', async () => {
  const directory = await closedDirectory()
  await mkdir(directory)
  const account = await findServerAccount()
  const [one, other] = await Promise.all([locateData(directory, account), locateData(directory, account)])
  expect(other).toBe(one)
  expect(await locateData(directory, account)).toBe(one)
})

test.runIf(isRoot)('only the account of the server can enter the data folder below /var/lib', async () => {
  const server = await startForTest({ directory: await closedDirectory() })
  const { mode, uid } = await stat(server.directory)
  expect(mode & 0o777).toBe(0o700)
  expect(uid).not.toBe(0)
  expect((await stat(join(server.directory, 'data'))).uid).toBe(uid)
})

test.runIf(isRoot)('data is kept if the account of the server changes', async () => {
  const directory = await closedDirectory()
  const first = await startForTest({ directory })
  await ask(first.adminUrl, 'create table kept as select 42 as answer')
  await first.stop()
  await promisify(execFile)('chown', ['-R', '65533:65533', first.directory])
  const second = await startForTest({ directory })
  expect(await ask(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('removePostgresData deletes the data in every location, and the next server is empty', async () => {
  const directory = await closedDirectory()
  const first = await startForTest({ directory })
  await writeFile(join(directory, 'notes.txt'), 'not of the database')
  await ask(first.adminUrl, 'create table kept as select 42 as answer')
  await first.stop()
  await mkdir(join(directory, `initialising-${await endedPid()}-x1Y2z3`))
  await removePostgresData(directory)
  expect(await readdir(directory)).toEqual(['notes.txt'])
  await expect(readdir(join(first.directory, 'data'))).rejects.toMatchObject({ code: 'ENOENT' })
  await removePostgresData(directory)

  const second = await startForTest({ directory })
  expect(await ask(second.adminUrl, `select to_regclass('kept') as kept`)).toEqual([{ kept: null }])
})

test('an empty server starts if the data below /var/lib is missing', async () => {
  const directory = await closedDirectory()
  const first = await startForTest({ directory })
  await first.stop()
  await rm(first.directory, { recursive: true })
  const second = await startForTest({ directory })
  expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('existing data never moves: if only root can enter its directory, the start fails', async () => {
  const parent = await realpath(await temporaryFolder())
  await chmod(parent, 0o755)
  const directory = join(parent, 'postgres')
  const first = await startForTest({ directory })
  expect(first.directory).toBe(directory)
  await first.stop()
  await chmod(parent, 0o700)
  const again = startForTest({ directory })
  if (isRoot) await expect(again).rejects.toThrow(`cannot enter ${parent} (mode 0700)`)
  else expect((await again).directory).toBe(directory)
})

test('a foreign folder stays unchanged and unused if a link in the directory leads to it', async () => {
  const [foreign, parent] = [await temporaryFolder(), await realpath(await temporaryFolder())]
  await writeFile(join(foreign, 'password'), 'kept')
  await chmod(parent, 0o755)
  await symlink(foreign, join(parent, 'moved-to'))
  const server = await startForTest({ directory: parent })
  expect(server.directory).toBe(parent)
  await server.stop()
  await removePostgresData(parent)
  expect(await readdir(foreign)).toEqual(['password'])
})
