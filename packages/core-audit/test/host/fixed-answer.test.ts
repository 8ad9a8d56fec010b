import { gunzipSync } from 'node:zlib'
import { type FixedAnswer, fixedAnswer, listen } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openHostWithout } from '../harness.ts'
import { connectTo } from './raw-client.ts'

const text = 'ä line that repeats. '.repeat(1_000)

const openHost = () =>
  openHostWithout(
    new Hono<KitEnv>()
      .get('/text', fixedAnswer({ body: text, contentType: 'text/plain; charset=utf-8' }))
      .get('/tiny', fixedAnswer({ body: 'tiny', contentType: 'text/plain' }))
      .get('/gone', fixedAnswer({ body: text, contentType: 'text/plain', status: 404 }))
      .get(
        '/kept',
        fixedAnswer({
          body: new Uint8Array([1, 2, 3]),
          contentType: 'image/png',
          headers: { 'Cache-Control': 'public, max-age=60', 'X-Own': 'own' },
        }),
      ),
  )

/** Sends a request to the given host, or to a new host if none is given. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  options: { method?: string; host?: Awaited<ReturnType<typeof openHost>> } = {},
) {
  const { method = 'GET', host = await openHost() } = options
  const response = await host.app.request(path, { method, headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, header: (name: string) => response.headers.get(name), bytes }
}

describe.each(['/text', '/docs', '/openapi.json'])('%s', (path) => {
  test('is sent unchanged, with an ETag, and must be revalidated', async () => {
    const { status, header, bytes } = await ask(path)
    expect(status).toBe(200)
    expect(header('ETag')).toMatch(/^"[\w-]{22}"$/)
    expect(header('Cache-Control')).toBe('no-cache')
    expect(header('Vary')).toBe('Accept-Encoding')
    expect(header('Content-Encoding')).toBeNull()
    expect(header('Content-Length')).toBe(String(bytes.length))
  })

  test('is sent as gzip with another ETag if the client accepts gzip', async () => {
    const host = await openHost()
    const plain = await ask(path, {}, { host })
    const zipped = await ask(path, { 'Accept-Encoding': 'br, gzip;q=0.8' }, { host })
    expect(zipped.header('Content-Encoding')).toBe('gzip')
    expect(zipped.header('Content-Type')).toBe(plain.header('Content-Type'))
    expect(zipped.header('Content-Length')).toBe(String(zipped.bytes.length))
    expect(zipped.header('Vary')).toBe('Accept-Encoding')
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length)
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes)
    expect(zipped.header('ETag')).not.toBe(plain.header('ETag'))
  })

  test.each([{}, { 'Accept-Encoding': 'gzip' }])(
    'is not sent again to a client with a current copy (request headers %j)',
    async (accepted) => {
      const etag = (await ask(path, accepted)).header('ETag') ?? ''
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const { status, header, bytes } = await ask(path, { ...accepted, 'If-None-Match': known })
        expect(status).toBe(304)
        expect(bytes).toHaveLength(0)
        expect(header('ETag')).toBe(etag)
        expect(header('Cache-Control')).toBe('no-cache')
        expect(header('Vary')).toBe('Accept-Encoding')
      }
      expect((await ask(path, { ...accepted, 'If-None-Match': '"other"' })).status).toBe(200)
    },
  )

  test.each([{}, { 'Accept-Encoding': 'gzip' }])(
    'answers HEAD with the headers of GET (request headers %j)',
    async (accepted) => {
      const host = await openHost()
      const got = await ask(path, accepted, { host })
      const head = await ask(path, accepted, { host, method: 'HEAD' })
      expect(head.status).toBe(200)
      expect(head.bytes).toHaveLength(0)
      for (const name of ['ETag', 'Content-Type', 'Content-Length', 'Content-Encoding', 'Vary']) {
        expect(head.header(name)).toBe(got.header(name))
      }
    },
  )
})

test.each(['gzip;q=0', 'gzip;q=0, *', 'identity', 'br, deflate', 'identity, gzip;q=0.5', ''])(
  'a request with Accept-Encoding %j receives an answer without gzip',
  async (accepted) => {
    expect((await ask('/text', { 'Accept-Encoding': accepted })).header('Content-Encoding')).toBeNull()
  },
)

test('content that gzip would make larger is sent without gzip', async () => {
  const { header, bytes } = await ask('/tiny', { 'Accept-Encoding': 'gzip' })
  expect(header('Content-Encoding')).toBeNull()
  expect(bytes.toString()).toBe('tiny')
})

test('a fixed answer is sent with its own headers', async () => {
  const { header, bytes } = await ask('/kept')
  expect(header('Cache-Control')).toBe('public, max-age=60')
  expect(header('X-Own')).toBe('own')
  expect([...bytes]).toEqual([1, 2, 3])
  const again = await ask('/kept', { 'If-None-Match': header('ETag') ?? '' })
  expect(again.status).toBe(304)
  expect(again.header('Cache-Control')).toBe('public, max-age=60')
})

test('a fixed answer with another status than 200 has no ETag and ignores conditional headers', async () => {
  const { status, header } = await ask('/gone', { 'If-None-Match': '*' })
  expect(status).toBe(404)
  expect(header('ETag')).toBeNull()
})

test('a request after a failed preparation prepares the answer again', async () => {
  const prepare = vi
    .fn<() => Promise<FixedAnswer>>()
    .mockRejectedValueOnce(new Error('unreachable'))
    .mockResolvedValue({ body: text, contentType: 'text/plain' })
  const host = await openHostWithout(new Hono<KitEnv>().get('/late', fixedAnswer(prepare)))
  const statuses = []
  for (let request = 0; request < 3; request += 1) statuses.push((await ask('/late', {}, { host })).status)
  expect(statuses).toEqual([500, 200, 200])
  expect(prepare).toHaveBeenCalledTimes(2)
})

test('one connection receives complete fixed answers in sequence', async () => {
  const { app } = await openHost()
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close(0))
  const client = await connectTo(server.url)
  const request = (method: string, headers: string) =>
    `${method} /docs HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n${headers}\r\n`
  client.send(request('HEAD', '') + request('GET', ''))
  const ofHead = await client.received(/\r\n\r\n/)
  const length = Number(/content-length: (\d+)/i.exec(ofHead)?.[1])
  const whole = await client.received(
    new RegExp(`^(?:HTTP/1\\.1 200 OK\\r\\n(?:[^\\r]+\\r\\n)+\\r\\n){2}[^]{${length}}$`),
  )
  const zipped = Buffer.from(whole.slice(-length), 'latin1')
  expect(gunzipSync(zipped).toString()).toBe(await (await app.request('/docs')).text())

  const etag = /etag: ("[^"]+")/i.exec(whole)?.[1]
  client.send(request('GET', `If-None-Match: ${etag}\r\nConnection: close\r\n`))
  expect((await client.ended()).slice(whole.length)).toMatch(
    /^HTTP\/1\.1 304 Not Modified\r\n(?:[^\r]+\r\n)+\r\n$/,
  )
})
