import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { loadSampleData } from '../src/sample-data/sample-data.ts'
import { expectAnswer } from './answers.ts'
import { externalStore, openDemo } from './demo-process.ts'

/** Starts a server that accepts connections but never responds. The server closes at the end of the test. */
async function silentServer(): Promise<{ readonly url: string; connectionCount(): number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectionCount: () => sockets.length,
  }
}

test('if the store never responds, the demo waits for one request timeout and then starts without sample files', async () => {
  const store = await silentServer()
  const environment = { ...externalStore(store.url), Attachments__Storage__RequestTimeoutSeconds: '1' }
  const demo = await openDemo(environment)
  onTestFinished(() => demo.close())
  expect(store.connectionCount()).toBeGreaterThan(0)
  expect(demo.stderr()).toBe(
    'Not all sample data could be loaded: 5 of 5 files are missing: the store did not answer within 1 s\n',
  )
  const viewer = await demo.as('viewer')
  const { items } = await expectAnswer(viewer('GET', '/api/catalogs/trade.customer?limit=100'), 200)
  expect(items).toHaveLength(20)
})

test('if the identity provider never responds, the loading of sample data rejects after the time limit', async () => {
  const issuer = await silentServer()
  const loading = loadSampleData({ url: 'http://127.0.0.1:1', issuer: issuer.url, limitMs: 100 })
  await expect(loading).rejects.toThrow(/^the identity provider did not answer within 0\.1 s$/)
  expect(issuer.connectionCount()).toBe(1)
})
