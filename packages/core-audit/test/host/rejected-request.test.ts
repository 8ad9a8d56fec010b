import { listen } from '@vertical-kit/core-audit/host'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectTo, get } from './raw-client.ts'
import { expectProblem, problemIn, serve, statuses } from './serve.ts'

test.each([
  '\x16\x03\x01\x02\x00\r\n\r\n',
  'GET /thing HTTP/1.1\r\n\r\n',
  'GET /thing HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET /thing HTTP/1.1\r\nHost: test\r\nHost: other\r\n\r\n',
  'GET /thing HTTP/1.1\r\nhost: test\r\nHOST: test\r\n\r\n',
  'POST /body HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'POST /body HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /body HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
])('rejects malformed requests (%j) without details', async (bytes) => {
  const { server } = await serve()
  const client = await connectTo(server.url)
  client.send(bytes)
  expectProblem(await client.received(/\r\n\r\n\{.*\}/), 400, 'request.malformed')
})

test.each(['', 'Host: test\r\nHost: other\r\n', 'Host: test\r\nTransfer-Encoding: gzip\r\n'])(
  'rejects a request for a WebSocket with malformed headers (%j) like every other request',
  async (lines) => {
    const { server } = await serve()
    server.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    const client = await connectTo(server.url)
    client.send(`GET /thing HTTP/1.1\r\n${lines}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    expectProblem(await client.received(/\r\n\r\n\{.*\}/), 400, 'request.malformed')
  },
)

const chunked = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`

test.each([
  `${chunked('/body')}zz\r\n{}\r\n0\r\n\r\n`,
  `${chunked('/body')}2\r\n{}XX0\r\n\r\n`,
  `${chunked('/body')}FFFFFFFFFFFFFFFFF\r\n{}`,
  ...['gzip', 'gzip, chunked', 'xchunked'].flatMap((coding) =>
    ['GET', 'POST'].map(
      (method) => `${method} /body HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: ${coding}\r\n\r\n{}`,
    ),
  ),
])('answers a request with a malformed body (%j) once, and ends the connection', async (bytes) => {
  const { host } = await serve()
  const log = captureLog()
  const server = await listen(host.app, { host: '127.0.0.1', port: 0 }, log.logger)
  onTestFinished(() => server.close(0))
  const client = await connectTo(server.url)
  client.send(bytes)
  expectProblem(await client.ended(), 400, 'request.malformed')
  expect(log.entries).toMatchObject([{ code: 'request.malformed' }])
})

test.each([
  'HEAD /thing HTTP/1.1\r\nHost: test\r\nHost: other\r\n\r\n',
  'HEAD /thing HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
])('answers a malformed HEAD request (%j) without content', async (bytes) => {
  const { server } = await serve()
  const client = await connectTo(server.url)
  client.send(bytes)
  expect(await client.ended()).toMatch(/^HTTP\/1\.1 400 [^{]*\r\n\r\n$/)
})

test('malformed input is logged once, however many packets it has', async () => {
  const { host, held } = await serve()
  const log = captureLog()
  const server = await listen(host.app, { host: '127.0.0.1', port: 0 }, log.logger)
  onTestFinished(() => server.close(0))
  const client = await connectTo(server.url)
  client.send(`${get('/held')}NONSENSE\r\n\r\n`)
  await vi.waitUntil(() => log.entries.length > 0, { interval: 1, timeout: 30_000 })
  // The server has received each packet before the next one.
  for (let count = 0; count < 3; count += 1) {
    client.send('more\r\n')
    await get200(server.url)
  }
  held.release()
  expect(statuses(await client.ended())).toEqual(['200'])
  expect(log.entries).toHaveLength(1)
})

/** Another request: the server has then read what was sent before it. */
async function get200(url: string): Promise<void> {
  const other = await connectTo(url)
  other.send(get('/thing'))
  await other.received(/200 OK/)
}

test('an endpoint without a body does not execute a request with a malformed body', async () => {
  const { server, handled } = await serve()
  const client = await connectTo(server.url)
  client.send(`${chunked('/bare')}2\r\n{}\r\n`)
  await vi.waitUntil(() => handled.length > 0, { interval: 1, timeout: 30_000 })
  client.send('zz\r\n')
  expectProblem(await client.ended(), 400, 'request.malformed')
  expect(handled).toEqual(['/bare'])
})

test('a malformed body does not affect the answers to earlier requests', async () => {
  const { server, held, handled } = await serve()
  const client = await connectTo(server.url)
  client.send(`${get('/held')}${get('/thing')}${chunked('/body')}zz\r\n`)
  await held.entered
  held.release()
  expect(statuses(await client.ended())).toEqual(['200', '200'])
  expect(handled).toEqual(['/held', '/thing'])
})

test('a request whose body turns out to be malformed after its answer receives no second answer', async () => {
  const { server } = await serve()
  const client = await connectTo(server.url)
  client.send(chunked('/nothing'))
  await client.received(/\r\n\r\n\{.*\}/)
  client.send('zz\r\n')
  expect(statuses(await client.ended())).toEqual(['404'])
})

test('a malformed request after a valid one does not affect the answer to the valid one', async () => {
  const { server, held } = await serve()
  const client = await connectTo(server.url)
  client.send(`${get('/held')}NONSENSE\r\n\r\n`)
  await held.entered
  held.release()
  expect(statuses(await client.ended())).toEqual(['200'])
})

test('a rejected request is logged with the request id of its answer', async () => {
  const { host } = await serve()
  const log = captureLog()
  const server = await listen(host.app, { host: '127.0.0.1', port: 0 }, log.logger)
  onTestFinished(() => server.close(0))
  const client = await connectTo(server.url)
  client.send('NONSENSE\r\n\r\n')
  const { requestId } = problemIn(await client.ended())
  expect(log.lines.join()).not.toContain('NONSENSE')
  expect(log.entries).toMatchObject([{ level: 'info', requestId, code: 'request.malformed', status: 400 }])
})
