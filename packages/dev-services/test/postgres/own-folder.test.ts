import { chmod, chown, mkdir, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOwnFolder } from '../../src/postgres/own-folder.ts'
import { isRoot, temporaryFolder } from './harness.ts'

/** Returns a folder of another user. If the tests run as root, this function creates it; otherwise, it is root's. */
async function foreignFolder(): Promise<string> {
  if (!isRoot) return '/usr'
  const folder = await temporaryFolder()
  await chown(folder, 65_534, 65_534)
  return folder
}

const refusal = 'must be a folder of user'

test('openOwnFolder creates the folder with its parents; only the owner can list or change the folder', async () => {
  const path = join(await temporaryFolder(), 'above', 'own')
  expect(await openOwnFolder(path)).toBe(path)
  expect((await stat(path)).mode & 0o777).toBe(0o711)
})

test('openOwnFolder accepts an existing folder', async () => {
  const path = join(await temporaryFolder(), 'own')
  await openOwnFolder(path)
  expect(await openOwnFolder(path)).toBe(path)
})

test.each([0o777, 0o770, 0o1777])(
  'openOwnFolder rejects a folder with mode %o because other users can write to it',
  async (mode) => {
    const path = join(await temporaryFolder(), 'own')
    await mkdir(path)
    await chmod(path, mode)
    await expect(openOwnFolder(path)).rejects.toThrow(refusal)
    expect((await stat(path)).mode & 0o7777).toBe(mode)
  },
)

test('openOwnFolder rejects a folder of another user', async () => {
  await expect(openOwnFolder(await foreignFolder())).rejects.toThrow(refusal)
})

test('openOwnFolder rejects a symbolic link, even to a valid folder', async () => {
  const [target, parent] = [await temporaryFolder(), await temporaryFolder()]
  await symlink(target, join(parent, 'own'))
  await expect(openOwnFolder(join(parent, 'own'))).rejects.toThrow(refusal)
})
