import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { ProblemDetails } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
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

test('the hub sends nothing to a client before it is admitted', async () => {
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
  expect(received).toContain('WWW-Authenticate: Bearer error="invalid_token"\r\n')
})

test.each([
  ['/hubs/other', 'websocket', '404 Not Found'],
  ['/hubs/work-center', 'h2c', '404 Not Found'],
  ['/health/live', 'h2c', '200 OK'],
])('a request for %s with an upgrade to %s receives the response %s', async (path, upgrade, status) => {
  const { port } = new URL(replica.url)
  const socket = connectTcp(Number(port), '127.0.0.1')
  const first = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`)
  expect(await first).toContain(`HTTP/1.1 ${status}`)
  socket.destroy()
})

/** Sends an upgrade request, and returns the complete response after the hub has closed the socket. */
async function answerTo(path: string, lines: readonly string[] = [], to = replica): Promise<string> {
  const socket = connectTcp(to.port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  const head = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await ended
  return received
}

test.each([
  ['an admitted request without a WebSocket handshake', () => token, 400, 'request.malformed'],
  ['a request with a bad token', () => 'bad', 401, 'auth.required'],
])(
  '%s is refused with problem details that contain its request id',
  async (_what, makeToken, status, code) => {
    const answer = await answerTo(`/hubs/work-center?access_token=${makeToken()}`, ['X-Request-Id: mine-1'])
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    for (const line of [
      'X-Request-Id: mine-1',
      'Content-Type: application/problem+json',
      'Cache-Control: no-store',
      'Referrer-Policy: no-referrer',
    ]) {
      expect(head.split('\r\n')).toContain(line)
    }
    expect(v.parse(ProblemDetails, JSON.parse(body))).toMatchObject({ status, code, requestId: 'mine-1' })
    const lines = replica.logLines.filter((line) => line.includes('"requestId":"mine-1"'))
    expect(lines.some((line) => line.includes(code))).toBe(status === 401)
  },
)

test.each(['http://somebody:secret@hub', '//somebody:secret@hub'])(
  'an upgrade ignores credentials in the URL, for example in %s',
  async (authority) => {
    const refused = await answerTo(`${authority}/hubs/work-center?access_token=bad`)
    expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    const admitted = await answerTo(`${authority}/hubs/work-center?access_token=${token}`)
    expect(admitted).toContain('"code":"request.malformed"')
    await connectAndGreet(replica, token)
  },
)

test('negotiation ignores credentials in the URL', async () => {
  const socket = connectTcp(replica.port, '127.0.0.1')
  const first = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  const path = `http://somebody:secret@hub/hubs/work-center/negotiate?access_token=${token}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: hub\r\nContent-Length: 0\r\n\r\n`)
  expect(await first).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})

test.each([
  ['in the query', '?access_token=TOKEN&access_token=bad', []],
  ['in headers', '', ['Authorization: Bearer TOKEN', 'Authorization: Bearer bad']],
])('an upgrade with several tokens %s is refused', async (_where, query, lines) => {
  const withToken = (text: string) => text.replace('TOKEN', token)
  const answer = await answerTo(withToken(`/hubs/work-center${query}`), lines.map(withToken))
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
})

test('a malformed request id is replaced in the response', async () => {
  const answer = await answerTo('/hubs/other', ['X-Request-Id: <script>'])
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const { requestId } = v.parse(ProblemDetails, JSON.parse(body))
  expect(requestId).toMatch(/^[\da-f-]{36}$/)
  expect(head).toContain(`X-Request-Id: ${requestId}`)
})

test('a connection above the limit is refused, and the error contains the limit', async () => {
  const small = await deployment.openReplica({ config: { maxConnectionsPerUser: 1 } })
  await connectAndGreet(small, token)
  const answer = await answerTo(`/hubs/work-center?access_token=${token}`, [], small)
  expect(v.parse(ProblemDetails, JSON.parse(answer.split('\r\n\r\n')[1] ?? ''))).toMatchObject({
    code: 'work_center.too_many_connections',
    context: { maxConnections: 1 },
  })
})

test('the response to a successful upgrade contains the request id', async () => {
  const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/hubs/work-center`, {
    headers: { Authorization: `Bearer ${token}`, 'X-Request-Id': 'mine-2' },
  })
  const [response] = (await once(socket, 'upgrade')) as [IncomingMessage]
  expect(response.headers['x-request-id']).toBe('mine-2')
  socket.terminate()
})

test.each(['/hubs/other', '/hubs/work-center'])(
  'the hub still works after clients have requested %s and immediately reset their connections',
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
