import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { expectAnswer } from './answers.ts'
import { dataFolder, externalStore, runDemo, startDemo } from './demo-process.ts'

/** Starts a store that never responds, and calls `onUpload` when a file arrives. */
async function interruptingStore(onUpload: () => void): Promise<string> {
  const server = createServer((request) => {
    if (request.method === 'PUT') onUpload()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('if the first start is killed, the next start loads all sample data once', async () => {
  const folder = await dataFolder()
  onTestFinished(() => folder.remove())
  const ports = { PORT: '0', IDENTITY_PORT: '0', OBJECT_STORE_PORT: '0' }
  // Files are loaded last, so all other sample data exists at this moment.
  const store = await interruptingStore(() => interrupted.process.kill('SIGKILL'))
  const interrupted = runDemo({ DEMO_DATA_DIR: folder.path, ...ports, ...externalStore(store) })
  expect(await interrupted.ended).toBeNull()

  const demo = await startDemo({ DEMO_DATA_DIR: folder.path })
  onTestFinished(async () => void (await demo.stop()))
  expect(demo.stderr()).toBe('')
  const viewer = await demo.as('viewer')
  const count = async (path: string) =>
    (await expectAnswer(viewer('GET', `${path}limit=100`), 200)).items.length
  expect(await count('/api/catalogs/trade.customer?')).toBe(20)
  const { items } = await expectAnswer(viewer('GET', '/api/documents/trade.sales_invoice'), 200)
  expect(items).toHaveLength(40)
  const [newest] = items
  const target = `kind=Document&typeCode=trade.sales_invoice&objectId=${newest?.['id']}`
  expect(await count(`/api/attachments?${target}&`)).toBe(2)
})
