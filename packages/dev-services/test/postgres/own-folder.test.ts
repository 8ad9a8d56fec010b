import { chmod, chown, mkdir, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOwnFolder } from '../../src/postgres/own-folder.ts'
import { isRoot, temporaryFolder } from './harness.ts'

/** A folder of another user: root can give one away, other users find root's. */
async function foreignFolder(): Promise<string> {
  if (!isRoot) return '/usr'
  const folder = await temporaryFolder()
  await chown(folder, 65_534, 65_534)
  return folder
}

const refusal = 'must be a folder of user'

test('the folder is created, with all above it, and only its owner can list it or write to it', async () => {
  const path = join(await temporaryFolder(), 'above', 'own')
  expect(await openOwnFolder(path)).toBe(path)
  expect((await stat(path)).mode & 0o777).toBe(0o711)
})

test('an existing folder is opened again', async () => {
  const path = join(await temporaryFolder(), 'own')
  await openOwnFolder(path)
  expect(await openOwnFolder(path)).toBe(path)
})

test.each([0o777, 0o770, 0o1777])(
  'a folder with mode %o is refused: others can write to it',
  async (mode) => {
    const path = join(await temporaryFolder(), 'own')
    await mkdir(path)
    await chmod(path, mode)
    await expect(openOwnFolder(path)).rejects.toThrow(refusal)
    expect((await stat(path)).mode & 0o7777).toBe(mode)
  },
)

test('a folder of another user is refused', async () => {
  await expect(openOwnFolder(await foreignFolder())).rejects.toThrow(refusal)
})

test('a symbolic link is refused, even to a folder that would do', async () => {
  const [target, parent] = [await temporaryFolder(), await temporaryFolder()]
  await symlink(target, join(parent, 'own'))
  await expect(openOwnFolder(join(parent, 'own'))).rejects.toThrow(refusal)
})
