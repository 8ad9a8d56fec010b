import { connect as connectTcp } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { connectAndGreet, handshake } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
let token: string
beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica()
  token = await deployment.token(await deployment.addAccount())
})
afterAll(() => deployment.close())

test('a client that has not been admitted is sent nothing, whatever it says', async () => {
  const { port } = new URL(replica.url)
  const socket = connectTcp(Number(port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.write(
    [
      'GET /hubs/work-center?access_token=bad HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '',
      handshake,
    ].join('\r\n'),
  )
  await ended
  expect(received).toMatch(
    /^HTTP\/1\.1 401 Unauthorized\r\nConnection: close\r\n(?:[^\r]+\r\n)+\r\n\{[^{}]+\}$/,
  )
  expect(received).toContain('WWW-Authenticate: Bearer')
})

test.each([
  ['/hubs/other', 'websocket', '404 Not Found'],
  ['/hubs/work-center', 'h2c', '404 Not Found'],
  ['/health/live', 'h2c', '200 OK'],
])('a request for %s that asks to upgrade to %s is answered %s', async (path, upgrade, status) => {
  const { port } = new URL(replica.url)
  const socket = connectTcp(Number(port), '127.0.0.1')
  const first = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`)
  expect(await first).toContain(`HTTP/1.1 ${status}`)
  socket.destroy()
})

test('an admitted request that is no WebSocket handshake is refused', async () => {
  const { port } = new URL(replica.url)
  const socket = connectTcp(Number(port), '127.0.0.1')
  const first = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  socket.write(
    `GET /hubs/work-center?access_token=${token} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  )
  expect(await first).toContain('HTTP/1.1 400')
  socket.destroy()
})

test.each(['/hubs/other', '/hubs/work-center'])(
  'clients that ask for %s and leave at once, without a good-bye, do no harm',
  async (path) => {
    const { port } = new URL(replica.url)
    for (let index = 0; index < 200; index += 1) {
      const socket = connectTcp(Number(port), '127.0.0.1')
      await new Promise<void>((resolve) => socket.once('connect', resolve))
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
      socket.write(request, () => socket.resetAndDestroy())
    }
    await connectAndGreet(replica, token)
  },
)
