import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removePostgresData } from '@vertical-kit/dev-services'
import { expect, onTestFinished, test } from 'vitest'
import { ask, isRoot, startForTest, temporaryFolder } from './harness.ts'

test('the next start repeats an interrupted initialisation', async () => {
  const directory = await temporaryFolder()
  await mkdir(join(directory, 'initialising'))
  await writeFile(join(directory, 'initialising', 'PG_VERSION'), '18\n')
  await writeFile(join(directory, 'password'), 'half')
  const server = await startForTest({ directory })
  expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await readdir(directory)).toSorted()).toEqual(['data', 'password'])
})

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
