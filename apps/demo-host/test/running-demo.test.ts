import { spawnSync } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findAddresses, forgetAddresses, storeAddresses } from '../src/running-demo.ts'
import { dataFolder } from './demo-process.ts'

test('a replica neither replaces nor removes the addresses of the demo whose services it uses', async () => {
  const folder = await dataFolder()
  onTestFinished(() => folder.remove())
  const own = { port: 8080, databaseUrl: 'postgres://127.0.0.1/demo' }
  await storeAddresses(folder.path, own)
  await storeAddresses(folder.path, { port: 8090 })
  expect(await readdir(folder.path)).toEqual(['running.json'])
  const stored = await findAddresses(folder.path)
  expect(stored).toMatchObject(own)
  await forgetAddresses(folder.path)
  expect(await findAddresses(folder.path)).toBeUndefined()

  const ofAnother = JSON.stringify({ ...own, pid: process.ppid })
  await writeFile(join(folder.path, 'running.json'), ofAnother)
  await forgetAddresses(folder.path)
  expect(await findAddresses(folder.path)).toMatchObject(own)
})

/** Runs a command of an operator without a database in its environment. */
function runCommand([name, ...argv]: readonly string[], environment: Readonly<Record<string, string>>) {
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, ...argv],
    { env: { PATH: process.env['PATH'], ...environment }, encoding: 'utf8' },
  )
  return { status, stderr }
}

test.each([[['outbox', 'list']], [['audit', 'verify']], [['mail', 'list']], [['migrate', 'status']]])(
  '%j names a data directory that it cannot read, and no demo runs where the file is damaged',
  async (command) => {
    const folder = await dataFolder()
    onTestFinished(() => folder.remove())
    expect(runCommand(command, { DEMO_DATA_DIR_FILE: join(folder.path, 'missing') })).toEqual({
      status: 78,
      stderr: 'DEMO_DATA_DIR_FILE: the file cannot be read\n',
    })
    await writeFile(join(folder.path, 'running.json'), '{"databaseUrl":"post')
    expect(runCommand(command, { DEMO_DATA_DIR: folder.path })).toEqual({
      status: 78,
      stderr: 'DATABASE_URL: is required\n',
    })
  },
)
