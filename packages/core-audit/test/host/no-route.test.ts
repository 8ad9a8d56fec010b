import { listen } from '@vertical-kit/core-audit/host'
import { type KitEnv, problems, requestId } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openHostWithout } from '../harness.ts'
import { connectTo } from './raw-client.ts'
import { statuses } from './serve.ts'

const router = () =>
  new Hono<KitEnv>()
    .get('/things', (c) => c.json([]))
    .post('/things', (c) => c.json({}, 201))
    .get('/things/:id', (c) => c.json({}))
    .put('/things/:id', (c) => c.json({}))
    .delete('/things/:id', (c) => c.body(null, 204))
    .post('/things/:id/claim', (c) => c.json({}))
    .all('/any', (c) => c.text('any'))
    .post('/api/private', (c) => c.json({}))

const answerOf = async (response: Response) => ({
  status: response.status,
  allow: response.headers.get('Allow'),
  code: response.status < 400 ? null : ((await response.json()) as { code: string }).code,
})

const methodNotAllowed = (allow: string) => ({ status: 405, allow, code: 'request.method_not_allowed' })
const notFound = { status: 404, allow: null, code: 'request.route_not_found' }

describe('a request without a route', () => {
  test.each([
    ['PUT', '/things', methodNotAllowed('GET, HEAD, POST, OPTIONS')],
    ['PATCH', '/things/1', methodNotAllowed('GET, HEAD, PUT, DELETE, OPTIONS')],
    ['PROPFIND', '/things/1', methodNotAllowed('GET, HEAD, PUT, DELETE, OPTIONS')],
    ['GET', '/things/1/claim', methodNotAllowed('POST, OPTIONS')],
    ['POST', '/health', methodNotAllowed('GET, HEAD, OPTIONS')],
    ['DELETE', '/openapi.json', methodNotAllowed('GET, HEAD, OPTIONS')],
    ['POST', '/nothing', notFound],
    ['OPTIONS', '/nothing', notFound],
    ['GET', '/things/1/2/3', notFound],
  ])('%s %s is answered according to the routes of the path', async (method, path, expected) => {
    const { app } = await openHostWithout(router())
    expect(await answerOf(await app.request(path, { method }))).toEqual(expected)
  })

  test('HEAD is answered like GET, without a body', async () => {
    const { app } = await openHostWithout(router())
    const head = await app.request('/things', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const refused = await app.request('/things/1/claim', { method: 'HEAD' })
    expect([refused.status, refused.headers.get('Allow'), await refused.text()]).toEqual([
      405,
      'POST, OPTIONS',
      '',
    ])
  })

  test('OPTIONS names the methods of the path', async () => {
    const { app } = await openHostWithout(router())
    const response = await app.request('/things', { method: 'OPTIONS' })
    expect([response.status, response.headers.get('Allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  })

  test('routes of every method accept every method', async () => {
    const { app } = await openHostWithout(router())
    for (const method of ['GET', 'PATCH', 'OPTIONS'])
      expect((await app.request('/any', { method })).status).toBe(200)
  })

  test.each(['GET', 'POST', 'OPTIONS'])(
    '%s below /api reveals nothing before authentication',
    async (method) => {
      const { app } = await openHostWithout(router())
      for (const path of ['/api/private', '/api/nothing']) {
        expect(await answerOf(await app.request(path, { method }))).toEqual({
          status: 401,
          allow: null,
          code: 'auth.required',
        })
      }
    },
  )

  test('a page for all unknown addresses does not make them known', async () => {
    const { app } = await openHostWithout(router())
    app.get('*', (c, next) => (c.req.header('Accept') === 'text/html' ? c.html('page', 404) : next()))
    expect(await answerOf(await app.request('/nothing', { method: 'POST' }))).toEqual(notFound)
    expect(await answerOf(await app.request('/things', { method: 'PUT' }))).toEqual(
      methodNotAllowed('GET, HEAD, POST, OPTIONS'),
    )
  })

  test.each(['TRACE /things', 'CONNECT test:80', 'OPTIONS *'])(
    'the line %s does not cause a fault',
    async (line) => {
      const host = await openHostWithout(router())
      const server = await listen(host.app, { host: '127.0.0.1', port: 0 })
      onTestFinished(() => server.close(0))
      const client = await connectTo(server.url)
      client.send(`${line} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`)
      for (const status of statuses(await client.ended())) expect(Number(status)).toBeLessThan(500)
    },
  )
})

test('a mounted router leaves the routes and the unknown addresses of an application as they are', async () => {
  const kit = new Hono<KitEnv>().use('/things/*', requestId()).route('/', router()).onError(problems())
  const app = new Hono()
    .get('/own', (c) => c.text('own'))
    .route('/', kit)
    .put('/things', (c) => c.text('own'))
  expect((await app.request('/own', { method: 'DELETE' })).status).toBe(404)
  expect((await app.request('/nothing')).status).toBe(404)
  expect(await (await app.request('/things', { method: 'PUT' })).text()).toBe('own')
})
