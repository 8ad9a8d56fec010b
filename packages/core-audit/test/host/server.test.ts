import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { listen } from '@vertical-kit/core-audit/host'
import type { TestHost } from '@vertical-kit/core-audit/testing'
import { describe, expect, test, vi } from 'vitest'
import { connectTo, get } from './raw-client.ts'
import type { SendBodies } from './send-bodies.ts'
import { connectionCount, expectProblem, serve, statuses } from './serve.ts'

/** Longer than any test, so a test fails if the close has to wait for the end of the grace period. */
const graceMs = 120_000

describe('listening', () => {
  test('uses a free port and answers at the reported URL', async () => {
    const { server } = await serve()
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/)
    expect(await (await fetch(`${server.url}/thing`)).text()).toBe('thing')
  })

  test('rejects a port that is in use', async () => {
    const { server, host } = await serve()
    const port = Number(new URL(server.url).port)
    await expect(listen(host.app, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('limits for clients', () => {
  const withHeader = (bytes: number) =>
    `GET /thing HTTP/1.1\r\nHost: test\r\nX-Long: ${'a'.repeat(bytes)}\r\n\r\n`

  test('accepts headers of 15 KiB and rejects headers of 16 KiB', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send(withHeader(15 * 1024))
    await client.received(/thing$/)
    const other = await connectTo(server.url)
    other.send(withHeader(16 * 1024))
    expectProblem(await other.ended(), 431, 'request.headers_too_large')
  })

  describe.each(['/body', '/bare'])('at %s', (path) => {
    test.each(['Content-Length: 10000000\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n65\r\n'])(
      'rejects a body that is too large (%j) before it has arrived, and ends the connection',
      async (rest) => {
        const { server, handled } = await serve()
        const client = await connectTo(server.url)
        client.send(
          `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n${rest}"${'a'.repeat(100)}`,
        )
        expectProblem(await client.ended(), 413, 'request.too_large')
        expect(handled).toEqual([path])
      },
    )
  })

  test.each(['Content-Length: 100\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n64\r\n'])(
    'an endpoint without a body ignores a body up to its limit (%j)',
    async (rest) => {
      const { server } = await serve()
      const client = await connectTo(server.url)
      const end = rest.startsWith('T') ? '\r\n0\r\n\r\n' : ''
      client.send(`POST /bare HTTP/1.1\r\nHost: test\r\n${rest}${'a'.repeat(100)}${end}${get('/thing')}`)
      expect(statuses(await client.received(/thing$/))).toEqual(['200', '200'])
    },
  )

  test.each([64 * 1024, 2 * 1024 * 1024])(
    'a client that sends %d bytes receives 413, with and without a declared length',
    async (bytes) => {
      const { server } = await serve()
      const workerData: SendBodies = { url: `${server.url}/body`, bytes, rounds: 8 }
      const client = new Worker(new URL('./send-bodies.ts', import.meta.url), { workerData })
      const [answers] = await once(client, 'message')
      expect(answers).toEqual(Array.from({ length: 16 }, () => '413'))
    },
  )

  test.each(['Content-Length: 1000000000000', 'Transfer-Encoding: chunked'])(
    'reads at most 4 MiB of the rest of a rejected body (%s), and ends the connection',
    async (length) => {
      const { server } = await serve()
      const connected = once(server.server, 'connection') as Promise<[Socket]>
      const client = await connectTo(server.url)
      const [socket] = await connected
      client.send(`POST /body HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n${length}\r\n\r\n`)
      const piece = `10000\r\n${'a'.repeat(0x10000)}\r\n`
      const sendMore = () => {
        while (client.socket.writable && client.socket.write(piece));
      }
      const closed = new Promise((resolve) => socket.once('close', resolve))
      client.socket.on('drain', sendMore)
      sendMore()
      expect(statuses(await client.received(/request\.too_large/))).toEqual(['413'])
      await closed
      expect(socket.bytesRead).toBeLessThan(5 * 1024 * 1024)
    },
  )

  test('the request after a rejected body of 4 MB receives its answer', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send(
      `POST /body HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n`,
    )
    client.send(`${'a'.repeat(4_000_000)}${get('/thing')}`)
    expect(statuses(await client.received(/thing$/))).toEqual(['413', '200'])
  })

  test('rejects a request if its headers do not arrive in time', async () => {
    const { server } = await serve()
    expect(server.server.headersTimeout).toBe(10_000)
    expect(server.server.requestTimeout).toBe(30_000)
    server.server.headersTimeout = 1
    const client = await connectTo(server.url)
    client.send('GET /thing HTTP/1.1\r\nHost: te')
    expectProblem(await client.ended(), 408, 'request.timeout')
  })

  test('rejects a request if its body does not arrive in time', async () => {
    const { server } = await serve()
    server.server.requestTimeout = 1
    const client = await connectTo(server.url)
    client.send(
      'POST /body HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"a":',
    )
    expectProblem(await client.ended(), 408, 'request.timeout')
  })

  test('HTTP/1.0 needs no host', async () => {
    const { server } = await serve()
    for (const host of ['', 'Host: test\r\n']) {
      const client = await connectTo(server.url)
      client.send(`GET /thing HTTP/1.0\r\n${host}\r\n`)
      const text = await client.ended()
      expect(statuses(text)).toEqual(['200'])
      expect(text).toMatch(/thing$/)
    }
  })

  const expecting = (path: string, lengthBytes: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: ${lengthBytes}\r\n` +
    'Expect: 100-continue\r\n\r\n'

  test('a client that waits for 100 receives it when the body is read, and can send the next request', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send(expecting('/body', 2))
    await client.received(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    client.send(`{}${get('/thing')}`)
    expect(statuses(await client.received(/thing$/))).toEqual(['100', '200', '200'])
  })

  test.each([
    ['/body', 1_000_000, '413'],
    ['/nothing', 2, '404'],
  ])(
    'a client that waits for 100 receives only the refusal of its body: %s, %i bytes',
    async (path, bytes, status) => {
      const { server } = await serve()
      const client = await connectTo(server.url)
      client.send(expecting(path, bytes))
      expect(statuses(await client.ended())).toEqual([status])
    },
  )

  test('a request with an unknown expectation is handled like any other', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send('GET /thing HTTP/1.1\r\nHost: test\r\nExpect: 200-tea\r\n\r\n')
    expect(statuses(await client.received(/thing$/))).toEqual(['200'])
  })
})

describe('a client that disconnects', () => {
  const logged = (host: TestHost, part: string) =>
    vi.waitUntil(() => host.logLines.find((line) => line.includes(part)), { interval: 5, timeout: 30_000 })

  test('while it sends its body does not cause an error', async () => {
    const { server, host } = await serve()
    const client = await connectTo(server.url)
    client.send(
      'POST /body HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"a":',
    )
    const arrived = vi.waitUntil(async () => (await connectionCount(server)) === 1, {
      interval: 5,
      timeout: 30_000,
    })
    await arrived
    client.socket.destroy()
    expect(JSON.parse(await logged(host, '"request"'))).toMatchObject({
      level: 'debug',
      path: '/body',
      status: 400,
    })
    expect(host.logLines.filter((line) => line.includes('"error"'))).toEqual([])
  })

  test('before it receives the answer does not cause an error', async () => {
    const { server, host, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held'))
    await held.entered
    client.socket.destroy()
    await vi.waitUntil(async () => (await connectionCount(server)) === 0, { interval: 5, timeout: 30_000 })
    held.release()
    expect(JSON.parse(await logged(host, '"request"'))).toMatchObject({ path: '/held', status: 200 })
    expect(host.logLines.filter((line) => line.includes('"error"'))).toEqual([])
  })
})

describe('closing', () => {
  test('waits for the request in progress, announces the end of its connection, and refuses new connections', async () => {
    const { server, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held'))
    await held.entered
    const closed = server.close(graceMs)
    await expect(fetch(`${server.url}/thing`)).rejects.toThrow()
    held.release()
    await closed
    const text = await client.ended()
    expect(text).toMatch(/connection: close/i)
    expect(text).toMatch(/held$/)
  })

  test('ends idle connections immediately', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/thing'))
    await client.received(/thing$/)
    await server.close(graceMs)
    await client.ended()
  })

  test('ends a connection when its response in progress is complete', async () => {
    const { server, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/streamed'))
    await held.entered
    await client.received(/first/)
    const closed = server.close(graceMs)
    held.release()
    await closed
    expect(await client.ended()).toMatch(/first.*last.*\r\n0\r\n\r\n$/s)
  })

  test('answers a request that arrives on an open connection during the close, then ends the connection', async () => {
    const { server, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held'))
    await held.entered
    const half = await connectTo(server.url)
    half.send('GET /thing HTTP/1.1\r\nHost: test\r\n')
    await vi.waitUntil(async () => (await connectionCount(server)) === 2, { interval: 5, timeout: 30_000 })
    const closed = server.close(graceMs)
    half.send('\r\n')
    expect(await half.ended()).toMatch(/connection: close.*thing$/is)
    held.release()
    await closed
  })

  test('drops the requests that wait on a connection while another request is in progress', async () => {
    const { server, held, handled } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/thing').repeat(3))
    await held.entered
    const closed = server.close(graceMs)
    held.release()
    await closed
    expect(statuses(await client.ended())).toEqual(['200'])
    expect(handled).toEqual(['/held'])
  })

  test('cuts requests that have not finished after the grace period', async () => {
    const { server, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held'))
    await held.entered
    await server.close(10)
    expect(await client.ended()).toBe('')
  })

  test('cuts upgraded connections after the grace period', async () => {
    const { server } = await serve()
    server.server.on('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n')
    })
    const client = await connectTo(server.url)
    client.send('GET /hub HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n')
    await client.received(/101/)
    await server.close(10)
    await client.ended()
  })
})

test('a client that does not read its answer loses its connection', async () => {
  const { server } = await serve({ silenceMs: 50 })
  const client = await connectTo(server.url)
  client.socket.pause()
  client.send('GET /large HTTP/1.1\r\nHost: host\r\n\r\n')
  await vi.waitUntil(async () => (await connectionCount(server)) === 1, { interval: 1 })
  await vi.waitUntil(async () => (await connectionCount(server)) === 0, { interval: 5, timeout: 30_000 })
})
