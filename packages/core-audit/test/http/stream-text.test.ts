import { setImmediate as nextTurn } from 'node:timers/promises'
import { listen } from '@vertical-kit/core-audit/host'
import { CoreError, type KitEnv, problems } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { streamText } from '../../src/http/stream-text.ts'

/** Serves a stream on a free port, and returns its address. */
async function serve(chunks: () => AsyncGenerator<string>): Promise<string> {
  const app = new Hono<KitEnv>().get('/', (c) => streamText(c, { 'X-Test': 'yes' }, chunks()))
  app.onError(problems({ error() {} }))
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close(0))
  return server.url
}

test('a stream sends all chunks with its headers', async () => {
  const url = await serve(async function* () {
    yield 'a'
    yield 'ü'
  })
  const response = await fetch(url)
  expect(response.headers.get('X-Test')).toBe('yes')
  expect(await response.text()).toBe('aü')
})

test('an error before the first chunk is the error of the request', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first chunk
  const url = await serve(async function* () {
    throw new CoreError('permission.denied', { context: { permission: 'x' } })
  })
  const response = await fetch(url)
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'permission.denied' })
})

test('an error after the first chunk breaks the connection, without the text of the error', async () => {
  const url = await serve(async function* () {
    yield 'a'
    throw new Error('a secret')
  })
  const response = await fetch(url)
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
  })()
  await expect(reading).rejects.toThrow()
  expect(['', 'a']).toContain(text)
})

test('the generator returns when the client leaves', async () => {
  const ended = Promise.withResolvers<void>()
  const url = await serve(async function* () {
    try {
      for (;;) yield 'x'.repeat(100_000)
    } finally {
      ended.resolve()
    }
  })
  const leaving = new AbortController()
  const response = await fetch(url, { signal: leaving.signal })
  await (response.body as ReadableStream<Uint8Array>).getReader().read()
  leaving.abort()
  await ended.promise
})

test('empty chunks are not sent, and a client who leaves ends a generator of nothing else', async () => {
  const ended = Promise.withResolvers<void>()
  const url = await serve(async function* () {
    try {
      yield ''
      yield 'a'
      for (;;) {
        await nextTurn()
        yield ''
      }
    } finally {
      ended.resolve()
    }
  })
  const leaving = new AbortController()
  const response = await fetch(url, { signal: leaving.signal })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  expect((await reader.read()).value).toEqual(new Uint8Array([0x61]))
  leaving.abort()
  await ended.promise
})

test('the generator runs only as far as the client reads', async () => {
  let count = 0
  const app = new Hono<KitEnv>().get('/', (c) =>
    streamText(
      c,
      {},
      (async function* () {
        for (;;) {
          count += 1
          yield `${count}`
        }
      })(),
    ),
  )
  const reader = ((await app.request('/')).body as ReadableStream<Uint8Array>).getReader()
  for (const expected of [1, 2, 3]) {
    await reader.read()
    expect(count).toBe(expected)
  }
  await reader.cancel()
  expect(count).toBe(3)
})
