import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '@vertical-kit/dev-services'
import { expect, test } from 'vitest'
import { ask, startForTest, temporaryFolder } from './harness.ts'

const isRoot = process.getuid?.() === 0

test('an initialisation that was cut short is made anew', async () => {
  const directory = await temporaryFolder()
  await mkdir(join(directory, 'initialising'))
  await writeFile(join(directory, 'initialising', 'PG_VERSION'), '18\n')
  await writeFile(join(directory, 'password'), 'half')
  const server = await startForTest({ directory })
  expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await readdir(directory)).toSorted()).toEqual(['data', 'password'])
})

test.runIf(isRoot)('a folder the server may not enter is named', async () => {
  const closed = await temporaryFolder()
  await chmod(closed, 0o700)
  await expect(startPostgres({ directory: join(closed, 'postgres') })).rejects.toThrow(
    `may not enter ${closed} (mode 0700)`,
  )
})
