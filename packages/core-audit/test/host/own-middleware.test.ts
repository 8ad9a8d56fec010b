import { CoreError } from '@vertical-kit/core-audit'
import { createApplication } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { Hono, type MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import { describe, expect, test } from 'vitest'
import { openPool } from '../harness.ts'

const router = () =>
  new Hono<KitEnv>()
    .get('/thing', (c) => c.json({ name: 'thing' }))
    .get('/refused', () => {
      throw new CoreError('feature.disabled')
    })
    .get('/fault', () => {
      throw new Error('broken')
    })
    .post('/api/things', (c) => c.json({}))

const origin = 'https://app.example.com'

/** The application of a host without a database and without signed-in users. */
const application = (middleware: readonly MiddlewareHandler[] = []) =>
  createApplication({
    title: 'Host',
    database: openPool('postgres://nobody@127.0.0.1:1/none'),
    logger: captureLog().logger,
    modules: [{ name: 'test', router: router() }],
    authenticate: () => {
      throw new CoreError('auth.required')
    },
    middleware,
  })

/** Middleware of Hono, and a header that shows its effect. */
const middleware: readonly [string, () => MiddlewareHandler, header: string][] = [
  ['cors', () => cors({ origin }), 'access-control-allow-origin'],
  ['compress', () => compress(), 'content-encoding'],
  ['etag', () => etag(), 'x-request-id'],
  ['secureHeaders', () => secureHeaders(), 'x-frame-options'],
]

type Send = (path: string, init?: RequestInit) => Promise<Response>

const requesterOf =
  (app: Pick<Hono<KitEnv>, 'request'>): Send =>
  async (path, init = {}) =>
    app.request(path, { ...init, headers: { Origin: origin, 'Accept-Encoding': 'gzip', ...init.headers } })

/** Returns the decompressed body. */
const bodyOf = (response: Response): Promise<unknown> =>
  new Response(
    response.headers.get('Content-Encoding') === 'gzip'
      ? response.body?.pipeThrough(new DecompressionStream('gzip'))
      : response.body,
  ).json()

describe.each(middleware)('with %s of the host', (_name, create, header) => {
  const places: readonly [string, () => Send][] = [
    ['as the option `middleware`', () => requesterOf(application([create()]))],
    ['around the application', () => requesterOf(new Hono().use(create()).route('/', application()))],
  ]

  test.each(places)('%s, refusals keep their problem details and get its headers', async (_place, open) => {
    const send = open()
    for (const [path, method, status, code] of [
      ['/nothing', 'GET', 404, 'request.route_not_found'],
      ['/thing', 'PUT', 405, 'request.method_not_allowed'],
      ['/refused', 'GET', 404, 'feature.disabled'],
      ['/fault', 'GET', 500, 'internal'],
      ['/api/things', 'GET', 401, 'auth.required'],
    ] as const) {
      const response = await send(path, { method })
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toBe('application/problem+json')
      expect(response.headers.get(header)).not.toBeNull()
      const requestId = response.headers.get('X-Request-Id')
      expect(await bodyOf(response)).toMatchObject({ status, code, requestId })
    }
    expect((await send('/thing', { method: 'PUT' })).headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })
})

test('a preflight request reaches the middleware of the host before authentication', async () => {
  const preflight = await application([cors({ origin })]).request('/api/things', {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe(origin)
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('POST')
})

test('an application that surrounds the host keeps its own answers', async () => {
  const outer = new Hono()
    .use(cors())
    .route('/', application())
    .get('/own', (c) => c.text('own'))
    .put('/thing', (c) => c.text('own method'))
    .get('/own/gone', (c) => c.text('gone', 404))
  expect(await (await outer.request('/own')).text()).toBe('own')
  expect(await (await outer.request('/own/gone')).text()).toBe('gone')
  expect(await (await outer.request('/thing', { method: 'PUT' })).text()).toBe('own method')
  expect((await outer.request('/own', { method: 'PUT' })).status).toBe(404)
  outer.notFound((c) => c.text('elsewhere', 404))
  expect(await (await outer.request('/nothing')).text()).toBe('elsewhere')
})
