import { CoreError, type CoreErrorCode, newId, refusal } from '@vertical-kit/core-audit'
import { ProblemDetails } from '@vertical-kit/core-audit/contract'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import packageJson from '@vertical-kit/core-audit/package.json' with { type: 'json' }
import { Hono } from 'hono'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { loggedAt, openHostWithout } from '../harness.ts'

const canary = 'c4n4ry'

/** Creates a router that throws the value of `make`. */
const throwing = (make: () => unknown) =>
  new Hono<KitEnv>().all('/thing', () => {
    throw make()
  })

const codes = Object.keys(CoreError.table) as CoreErrorCode[]

describe('the problem document of a kernel error', () => {
  test.each(codes)('contains the details of its code (%s)', async (code) => {
    const context = { permission: 'system.audit.view' }
    const errors = [{ path: 'limit', message: 'expected at most 100' }]
    const thrown = () => new CoreError(code, { context: context as never, errors, cause: new Error(canary) })
    const host = await openHostWithout(throwing(thrown))
    const response = await host.app.request('/thing')
    const { status, detail, headers = {} } = CoreError.table[code]

    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(Object.fromEntries(response.headers)).toMatchObject(
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    )
    const text = await response.text()
    expect(text).not.toContain(canary)
    const body = JSON.parse(text) as unknown
    expect(v.is(ProblemDetails, body)).toBe(true)
    expect(body).toEqual({
      type: `urn:vertical-kit:problem:${code}`,
      title: expect.stringMatching(/^[A-Z][A-Za-z ]+$/),
      status,
      detail,
      code,
      context,
      errors,
      requestId: response.headers.get('X-Request-Id'),
    })
  })

  test('is sent with the headers of its code', () => {
    expect(CoreError.table['auth.required'].headers).toEqual({ 'WWW-Authenticate': 'Bearer' })
    expect(CoreError.table['service.unavailable'].headers).toEqual({ 'Retry-After': '1' })
  })
})

test('a refusal without details has neither context nor errors', async () => {
  const host = await openHostWithout(throwing(() => new CoreError('feature.disabled')))
  const body = (await (await host.app.request('/thing')).json()) as object
  expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'code', 'requestId'])
})

test('refusals are not logged as errors', async () => {
  const host = await openHostWithout(throwing(() => new CoreError('feature.disabled')))
  await host.app.request('/thing')
  expect(loggedAt(host, 'error')).toEqual([])
})

test('a service.unavailable error is logged once, with its cause and the request id', async () => {
  const cause = new Error('the part is unavailable')
  const host = await openHostWithout(throwing(() => new CoreError('service.unavailable', { cause })))
  const { requestId } = (await (await host.app.request('/thing')).json()) as { requestId: string }
  expect(loggedAt(host, 'error')).toEqual([
    expect.objectContaining({
      requestId,
      code: 'service.unavailable',
      err: expect.objectContaining({
        cause: expect.objectContaining({ message: 'the part is unavailable' }),
      }),
    }),
  ])
})

class VendorError extends Error {
  readonly status = 418
  readonly code = 'vendor.code'
}

describe('a thrown value without one of our error codes', () => {
  test.each<[string, () => unknown]>([
    ['an error', () => new Error(canary)],
    ['an error with a status and a code of another library', () => new VendorError(canary)],
    ['a text', () => canary],
    ['undefined', () => undefined],
    ['null', () => null],
    ['an object', () => ({ message: canary, status: 200, code: canary })],
  ])('returns only the code internal and is logged once (%s)', async (_case, make) => {
    const host = await openHostWithout(throwing(make))
    const response = await host.app.request('/thing', { headers: { 'X-Request-Id': 'r-1' } })
    expect(response.status).toBe(500)
    expect(response.headers.get('X-Request-Id')).toBe('r-1')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.json()).toEqual({
      type: 'urn:vertical-kit:problem:internal',
      title: 'Internal Server Error',
      status: 500,
      detail: 'Something went wrong. Include the request ID when you report this.',
      code: 'internal',
      requestId: 'r-1',
    })
    expect(loggedAt(host, 'error')).toEqual([
      expect.objectContaining({ requestId: 'r-1', method: 'GET', path: '/thing', code: 'internal' }),
    ])
  })
})

test('the host recognizes an error of a second installed copy of the package', async () => {
  const address = new URL('../../src/errors.ts?another-copy', import.meta.url).href
  const other = (await import(/* @vite-ignore */ address)) as typeof import('../../src/errors.ts')
  expect(other.CoreError).not.toBe(CoreError)
  const host = await openHostWithout(throwing(() => new other.CoreError('users.not_found')))
  const response = await host.app.request('/thing')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'users.not_found' })
  expect(loggedAt(host, 'error')).toEqual([])
})

describe('a request id', () => {
  const ok = () => openHostWithout(new Hono<KitEnv>().get('/thing', (c) => c.text(c.get('requestId'))))

  test.each([['r-1'], [newId()], ['a'.repeat(128)], ['Trace:00-4bf9.1_x']])(
    'is kept when it is valid (%s)',
    async (id) => {
      const response = await (await ok()).app.request('/thing', { headers: { 'X-Request-Id': id } })
      expect(response.headers.get('X-Request-Id')).toBe(id)
      expect(await response.text()).toBe(id)
    },
  )

  test.each([[''], ['a'.repeat(129)], ['two words'], ['"quoted"'], ['<b>'], ['ä'], ['{"a":1}'], ['a;b']])(
    'is replaced when it is invalid (%j)',
    async (id) => {
      const response = await (await ok()).app.request('/thing', { headers: { 'X-Request-Id': id } })
      expect(response.headers.get('X-Request-Id')).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    },
  )

  test('is generated for each request that contains none', async () => {
    const { app } = await ok()
    const ids = await Promise.all([1, 2, 3].map(async () => (await app.request('/thing')).text()))
    expect(new Set(ids).size).toBe(3)
  })
})

describe('the headers of a response', () => {
  const router = new Hono<KitEnv>()
    .get('/thing', (c) => c.json({ ok: true }))
    .get('/broken', () => {
      throw new Error('broken')
    })
    .post('/empty', (c) => c.body(null, 204))

  test.each([
    ['GET', '/thing', 200],
    ['HEAD', '/thing', 200],
    ['POST', '/empty', 204],
    ['GET', '/broken', 500],
    ['GET', '/nothing', 404],
    ['DELETE', '/thing', 405],
    ['OPTIONS', '/thing', 204],
    ['GET', '/api/anything', 401],
    ['GET', '/health/live', 200],
    ['GET', '/health', 503],
    ['GET', '/health/ready', 503],
  ])('mark %s %s as private and forbid content sniffing and referrers', async (method, path, status) => {
    const host = await openHostWithout(router)
    const response = await host.app.request(path, { method })
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.any(String),
    })
  })

  test.each(['/openapi.json', '/docs'])(
    'mark %s as public, with revalidation before each use',
    async (path) => {
      const host = await openHostWithout(router)
      const response = await host.app.request(path)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-request-id': expect.any(String),
      })
    },
  )

  test('keep the Cache-Control that a route sets', async () => {
    const kept = new Hono<KitEnv>().get('/kept', (c) => {
      c.header('Cache-Control', 'private, max-age=60')
      return c.text('kept')
    })
    const host = await openHostWithout(kept)
    const response = await host.app.request('/kept')
    expect(response.headers.get('Cache-Control')).toBe('private, max-age=60')
  })
})

test('a request to an unknown address returns request.route_not_found', async () => {
  const host = await openHostWithout(new Hono<KitEnv>())
  const response = await host.app.request('/no/such/place')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'request.route_not_found' })
})

test.each(['/api', '/api/', '/api/anything', '/%61pi/anything', '/api/../api/x'])(
  'the address %s below /api requires authentication',
  async (path) => {
    const host = await openHostWithout(new Hono<KitEnv>().get('/api/anything', (c) => c.text('secret')))
    const response = await host.app.request(path)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'auth.required' })
  },
)

test.each(['/API/anything', '//api/anything', '/api%2Fanything', '/./API/anything'])(
  'the spelling %s of an address does not bypass authentication',
  async (path) => {
    const host = await openHostWithout(new Hono<KitEnv>().get('/api/anything', (c) => c.text('secret')))
    const response = await host.app.request(path)
    expect([401, 404]).toContain(response.status)
  },
)

test('requests are logged by path, without the query', async () => {
  const host = await openHostWithout(new Hono<KitEnv>().get('/thing', (c) => c.text('ok')))
  await host.app.request(`/thing?access_token=${canary}`, { headers: { Authorization: `Bearer ${canary}` } })
  expect(loggedAt(host, 'debug')).toEqual([
    expect.objectContaining({ method: 'GET', path: '/thing', status: 200, durationMs: expect.any(Number) }),
  ])
  expect(host.logLines.join()).not.toContain(canary)
})

test('the host does not start if its modules do not fit together', async () => {
  await expect(openHostWithout(new Hono<KitEnv>(), { version: '1.3.1' })).rejects.toThrow(
    `test is 1.3.1 and @vertical-kit/core-audit is ${packageJson.version}; install one release of all packages`,
  )
})

test('a package can declare an error with refusal()', () => {
  expect(refusal(409, 'The shelf is full.')).toEqual({ status: 409, detail: 'The shelf is full.' })
})
