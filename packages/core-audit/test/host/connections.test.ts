import { describe, expect, test, vi } from 'vitest'
import { connectTo, get } from './raw-client.ts'
import { connectionCount, serve, statuses } from './serve.ts'

describe('one connection', () => {
  test('serves several requests in sequence', async () => {
    const { server } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/thing'))
    await client.received(/thing$/)
    client.send(get('/other'))
    expect(statuses(await client.received(/other$/))).toEqual(['200', '200'])
  })

  test('handles its requests one after the other', async () => {
    const { server, held, handled } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/thing') + get('/other'))
    await held.entered
    expect(handled).toEqual(['/held'])
    held.release()
    await client.received(/other$/)
    expect(handled).toEqual(['/held', '/thing', '/other'])
  })

  test('does not block other connections between two of its requests', async () => {
    const { server, held, handled } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/noted').repeat(3))
    await held.entered
    held.release()
    await client.received(/(?:noted.*){3}$/s)
    expect(handled.slice(0, 6)).toEqual(['/held', '/noted', 'others', '/noted', 'others', '/noted'])
  })

  test('receives every answer when 100 requests wait', async () => {
    const { server, held, handled } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/thing').repeat(99) + get('/other'))
    await held.entered
    held.release()
    expect(statuses(await client.received(/other$/))).toHaveLength(101)
    expect(handled).toHaveLength(101)
  })

  test('does not leave HTTP while earlier requests wait for answers', async () => {
    const { server, held } = await serve()
    server.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    const upgrade = 'GET /other HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const client = await connectTo(server.url)
    client.send(get('/held') + upgrade)
    await held.entered
    held.release()
    expect(statuses(await client.received(/other$/))).toEqual(['200', '200'])
    client.send(upgrade)
    expect(statuses(await client.ended())).toEqual(['200', '200', '101'])
  })

  const withoutHost = 'GET /thing HTTP/1.1\r\n\r\n'
  const withExpectation = 'GET /thing HTTP/1.1\r\nHost: test\r\nExpect: tea\r\n\r\n'

  test.each([get('/thing'), withoutHost, withExpectation])(
    'ends immediately when 1,000 requests (%j) wait, and other connections still receive answers',
    async (request) => {
      const { server, held, handled } = await serve()
      const other = await connectTo(server.url)
      const client = await connectTo(server.url)
      client.send(get('/held') + request.repeat(999))
      await held.entered
      other.send(get('/other'))
      await other.received(/other$/)
      expect(await client.ended()).toBe('')
      held.release()
      other.send(get('/thing'))
      await other.received(/thing$/)
      expect(handled).toEqual(['/held', '/other', '/thing'])
    },
  )

  test('drops its waiting requests when the client disconnects', async () => {
    const { server, held, handled } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/thing').repeat(50))
    await held.entered
    client.socket.destroy()
    await vi.waitUntil(async () => (await connectionCount(server)) === 0, { interval: 5, timeout: 30_000 })
    held.release()
    const other = await connectTo(server.url)
    other.send(get('/other'))
    await other.received(/other$/)
    expect(handled).toEqual(['/held', '/other'])
  })

  test('answers pipelined requests in order', async () => {
    const { server, held } = await serve()
    const client = await connectTo(server.url)
    client.send(get('/held') + get('/thing') + get('/other'))
    await held.entered
    held.release()
    const text = await client.received(/other$/)
    expect(text.match(/(?<=\r\n\r\n)[a-z]+/g)).toEqual(['held', 'thing', 'other'])
  })
})
