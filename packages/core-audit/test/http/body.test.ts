import { CoreError } from '@vertical-kit/core-audit'
import { StorableText } from '@vertical-kit/core-audit/contract'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { openHostWithout } from '../harness.ts'

const limitBytes = 100

const description = { tag: 'Test', summary: 'A test.', responses: { 200: { description: 'The body' } } }

const router = new Hono<KitEnv>()
  .post(
    '/any',
    api({ ...description, operationId: 'any', body: v.unknown(), bodyLimitBytes: limitBytes }),
    (c) => c.json({ received: c.req.valid('json') }),
  )
  .post('/large', api({ ...description, operationId: 'large', body: v.unknown() }), (c) => c.json({}))
  .post('/none', api({ ...description, operationId: 'none' }), (c) => c.json({}))
  .post('/text', api({ ...description, operationId: 'text', body: v.object({ text: StorableText }) }), (c) =>
    c.json({ received: c.req.valid('json') }),
  )
  .post(
    '/loose',
    api({
      ...description,
      operationId: 'loose',
      body: v.object({ fields: v.looseObject({}), byName: v.record(v.string(), v.unknown()) }),
    }),
    (c) => {
      const { fields, byName } = c.req.valid('json')
      return c.json({ polluted: 'polluted' in fields || 'polluted' in byName || 'polluted' in {} })
    },
  )

interface Sending {
  readonly path?: string
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
}

async function send({ path = '/any', body = '{}', headers = {} }: Sending): Promise<Response> {
  const host = await openHostWithout(router)
  return host.app.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit)
}

const refusalOf = async (response: Response) => {
  const { code, status } = (await response.json()) as { code: string; status: number }
  return { code, status }
}

/** Returns a JSON text of exactly this many bytes. */
const textOf = (bytes: number): string => `"${'a'.repeat(bytes - 2)}"`

describe('the media type', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/merge-patch+json',
  ])('can be %s', async (type) => {
    expect((await send({ headers: { 'Content-Type': type } })).status).toBe(200)
  })

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/xml',
    'text/plain; application/json',
    '',
  ])('cannot be %j', async (type) => {
    const response = await send({ headers: { 'Content-Type': type } })
    expect(await refusalOf(response)).toEqual({ code: 'request.unsupported_media_type', status: 415 })
  })

  test('cannot be absent', async () => {
    const host = await openHostWithout(router)
    const response = await host.app.request('/any', { method: 'POST', body: new Uint8Array([123, 125]) })
    expect(await refusalOf(response)).toEqual({ code: 'request.unsupported_media_type', status: 415 })
  })
})

describe('the content coding', () => {
  test.each(['identity', 'Identity'])('can be %s', async (coding) => {
    expect((await send({ headers: { 'Content-Encoding': coding } })).status).toBe(200)
  })

  test.each(['gzip', 'br', 'gzip, identity', 'x'])('cannot be %s', async (coding) => {
    const response = await send({ headers: { 'Content-Encoding': coding } })
    expect(await refusalOf(response)).toEqual({ code: 'request.unsupported_media_type', status: 415 })
  })
})

describe('a body', () => {
  /** Returns a body of these chunks. `pulled` returns the number of chunks that were read. */
  function chunked(chunks: readonly string[]) {
    let pulledCount = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const chunk = chunks[pulledCount]
          pulledCount += 1
          if (chunk === undefined) controller.close()
          else controller.enqueue(new TextEncoder().encode(chunk))
        },
      },
      { highWaterMark: 0 },
    )
    return { body, pulled: () => pulledCount }
  }

  test('with a declared size is accepted at the limit and rejected above the limit', async () => {
    const declared = (bytes: number) => ({
      body: textOf(bytes),
      headers: { 'Content-Length': String(bytes) },
    })
    expect((await send(declared(limitBytes))).status).toBe(200)
    const response = await send(declared(limitBytes + 1))
    expect(await response.json()).toMatchObject({
      code: 'request.too_large',
      status: 413,
      context: { maxBytes: limitBytes },
    })
  })

  test('without a declared size is accepted at the limit and rejected above the limit', async () => {
    const split = (text: string) => [text.slice(0, 50), text.slice(50)]
    expect((await send({ body: chunked(split(textOf(limitBytes))).body })).status).toBe(200)
    const response = await send({ body: chunked(split(textOf(limitBytes + 1))).body })
    expect(await refusalOf(response)).toEqual({ code: 'request.too_large', status: 413 })
  })

  test('with a declared size above the limit is rejected and not read', async () => {
    const { body, pulled } = chunked(Array.from({ length: 1000 }, () => 'x'.repeat(1000)))
    const response = await send({ body, headers: { 'Content-Length': '1000000' } })
    expect(response.status).toBe(413)
    expect(pulled()).toBe(0)
  })

  test('that exceeds the limit is rejected before the end of the body has arrived', async () => {
    let sentCount = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentCount += 1
        if (sentCount > 20) return new Promise<void>(() => {})
        controller.enqueue(new TextEncoder().encode('x'.repeat(60)))
      },
    })
    expect((await send({ body: endless })).status).toBe(413)
  })

  test.each(['abc', '1e3000', 'NaN'])('with the declared size %j is rejected', async (length) => {
    expect((await send({ headers: { 'Content-Length': length } })).status).toBe(413)
  })

  test('is limited to 1 MB, also at an endpoint that ignores it', async () => {
    const megabyte = 1024 * 1024
    expect((await send({ path: '/large', body: textOf(megabyte) })).status).toBe(200)
    expect((await send({ path: '/large', body: textOf(megabyte + 1) })).status).toBe(413)
    const declared = (bytes: number) => ({ headers: { 'Content-Length': String(bytes) } })
    expect((await send({ path: '/none', ...declared(megabyte) })).status).toBe(200)
    expect((await send({ path: '/none', ...declared(megabyte + 1) })).status).toBe(413)
  })
})

describe('decoding a body', () => {
  const bytes = (...values: number[]) => new Uint8Array(values)

  test.each<[string, string | Uint8Array]>([
    ['an empty body', ''],
    ['an unfinished object', '{"a":1'],
    ['a body with two values', '{} {}'],
    ['a text in single quotes', "{'a':1}"],
    ['a comment', '{} // why'],
    ['a number that JSON does not support', 'NaN'],
    ['a control character in text', '"a\nb"'],
    ['a byte that is not UTF-8', bytes(0x22, 0xff, 0x22)],
    ['an overlong UTF-8 sequence', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['a surrogate encoded in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['an incomplete character', bytes(0x22, 0xe2, 0x82, 0x22)],
    ['a body in UTF-16', bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
  ])('rejects %s as malformed', async (_case, body) => {
    const response = await send({ body })
    expect(await response.json()).toMatchObject({
      code: 'request.malformed',
      status: 400,
      detail: 'The body is not valid JSON in UTF-8.',
    })
  })

  test('ignores a leading byte order mark', async () => {
    const response = await send({ body: bytes(0xef, 0xbb, 0xbf, 0x37) })
    expect(await response.json()).toEqual({ received: 7 })
  })
})

describe('a nested body', () => {
  const nested = (levels: number, open = '[', close = ']') => `${open.repeat(levels)}1${close.repeat(levels)}`

  test('is accepted with 64 levels and rejected as malformed with 65 levels', async () => {
    expect((await send({ path: '/large', body: nested(64) })).status).toBe(200)
    for (const body of [nested(65), nested(65, '{"a":', '}')]) {
      const response = await send({ path: '/large', body })
      expect(await response.json()).toMatchObject({
        code: 'request.malformed',
        detail: 'The body is nested deeper than 64 levels.',
      })
    }
  })

  test('with half a million levels is rejected as malformed', async () => {
    const response = await send({ path: '/large', body: nested(500_000) })
    expect(await refusalOf(response)).toEqual({ code: 'request.malformed', status: 400 })
  })
})

test('an unfinished body is rejected as malformed, and no error is logged', async () => {
  const host = await openHostWithout(router)
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('socket hang up')),
  })
  const response = await host.app.request('/any', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit)
  expect(await response.json()).toMatchObject({
    code: 'request.malformed',
    detail: 'The body ended before it was complete.',
  })
  expect(host.logLines.filter((line) => line.includes('"error"'))).toEqual([])
})

describe('StorableText', () => {
  test.each([
    ['U+0000', '{"text":"a\\u0000b"}'],
    ['a lone high surrogate', '{"text":"\\ud83d"}'],
    ['a lone low surrogate', '{"text":"\\ude00"}'],
    ['surrogates in the wrong order', '{"text":"\\ude00\\ud83d"}'],
  ])('rejects text with %s', async (_case, body) => {
    const response = await send({ path: '/text', body })
    expect(await response.json()).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'text', message: 'contains a character that cannot be stored' }],
    })
  })

  test('accepts escaped and literal characters, and returns the same text for them', async () => {
    const response = await send({ path: '/text', body: '{"text":"\\ud83d\\ude00 😀 \\ufeff"}' })
    expect(await response.json()).toEqual({ received: { text: '😀 😀 \ufeff' } })
  })
})

test.each([
  '{"fields":{"__proto__":{"polluted":true}},"byName":{}}',
  '{"fields":{"constructor":{"prototype":{"polluted":true}}},"byName":{}}',
  '{"fields":{},"byName":{"__proto__":{"polluted":true}}}',
  '{"__proto__":{"polluted":true},"fields":{},"byName":{}}',
])('the body %s changes no prototype', async (body) => {
  expect(await (await send({ path: '/loose', body })).json()).toEqual({ polluted: false })
})

test('an error about the body does not quote the body', async () => {
  const canary = 'c4n4ry'
  const texts = await Promise.all(
    [`{"text":"${canary}`, `{"text":["${canary}"]}`, `"${canary}"`].map(async (body) =>
      (await send({ path: '/text', body })).text(),
    ),
  )
  expect(texts.join()).not.toContain(canary)
  expect(CoreError.table['request.malformed'].detail).not.toContain('{')
})
