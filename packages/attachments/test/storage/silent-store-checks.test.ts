import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checksAt } from './checks-at.ts'

test('a store that never answers fails after 10 seconds with the key of its address, and the checks behind it are skipped', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const connected = once(server, 'connection')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const checks = checksAt(url)
  const limit = new AbortController()
  const { timeout } = AbortSignal
  const limits = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === 10_000 ? limit.signal : timeout.call(AbortSignal, ms)))
  onTestFinished(() => limits.mockRestore())
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const context = { origins: [], token: undefined, replicaCount: 1, now: Date.now, signal: ending.signal }
  const chain = ['store.access', 'store.upload', 'store.head', 'store.copy', 'store.rights']
  const running = chain.map((name) => checks.find((check) => check.name === name)?.run(context))
  await connected
  limit.abort()
  const [access, ...others] = await Promise.all(running)
  expect(access).toMatchObject({
    status: 'failed',
    change: expect.stringContaining('Attachments__Storage__InternalEndpoint'),
  })
  expect(others.map((finding) => finding?.status)).toEqual(['skipped', 'skipped', 'skipped', 'skipped'])
})

test('each check of the store names the checks that it needs', () => {
  const checks = checksAt('http://127.0.0.1:1')
  expect(Object.fromEntries(checks.map(({ name, needs }) => [name, needs]))).toMatchObject({
    'store.upload': ['store.access'],
    'store.copy': ['store.head', 'store.content_type'],
    'store.rights': ['store.upload', 'store.parts'],
    'store.newest_file': ['store.access', 'database.connection'],
    'clock.store': ['store.access'],
  })
})
