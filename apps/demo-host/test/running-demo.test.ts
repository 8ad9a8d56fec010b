import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findAddresses, forgetAddresses, storeAddresses } from '../src/running-demo.ts'
import { dataFolder } from './demo-process.ts'

test('a replica neither replaces nor removes the addresses of the demo whose services it uses', async () => {
  const folder = await dataFolder()
  onTestFinished(() => folder.remove())
  const own = { port: 8080, databaseUrl: 'postgres://127.0.0.1/demo' }
  await storeAddresses(folder.path, own)
  await storeAddresses(folder.path, { port: 8090 })
  const stored = await findAddresses(folder.path)
  expect(stored).toMatchObject(own)
  await forgetAddresses(folder.path)
  expect(await findAddresses(folder.path)).toBeUndefined()

  const ofAnother = JSON.stringify({ ...own, pid: process.ppid })
  await writeFile(join(folder.path, 'running.json'), ofAnother)
  await forgetAddresses(folder.path)
  expect(await findAddresses(folder.path)).toMatchObject(own)
})
