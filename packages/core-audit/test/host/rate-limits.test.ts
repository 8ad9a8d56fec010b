import { CoreError, isKitError } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import { createApplication, listen, type RateLimitConfig } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseNetwork } from '../../src/host/client-address.ts'
import { limitRequests } from '../../src/host/limit-requests.ts'
import { streamText } from '../../src/http/stream-text.ts'
import { openPool } from '../harness.ts'

const off: RateLimitConfig = {
  writesPerUser: null,
  writesPerAddress: null,
  concurrentPerUser: null,
  trustedProxies: [],
}

/** A rate whose next request is allowed after hours. */
const perDay = (count: number) => ({ count, windowMs: 86_400_000 })

/** Accepts the subject in the header `User`, like an application with sessions of its own. */
const authenticate: MiddlewareHandler<KitEnv> = async (c, next) => {
  const subject = c.req.header('user')
  if (subject === 'broken') throw new CoreError('service.unavailable')
  // Middleware of Hono, such as csrf(), refuses like this.
  if (subject === 'forged') throw new HTTPException(403)
  if (subject === undefined) throw new CoreError('auth.required')
  c.set('caller', { subject } as Caller)
  await next()
}

function open(limits: Partial<RateLimitConfig>) {
  const entered: (() => void)[] = []
  const released = Promise.withResolvers<void>()
  const stream = async function* () {
    yield 'a'
    await released.promise
  }
  const router = new Hono<KitEnv>()
    .get('/api/things', (c) => c.text('things'))
    .post('/api/things', (c) => c.text('made', 201))
    .delete('/api/things', () => {
      throw new CoreError('users.not_found')
    })
    .get('/api/held', async (c) => {
      entered.shift()?.()
      await released.promise
      return c.text('held')
    })
    .get('/api/stream', (c) => streamText(c, {}, stream()))
    .post('/hubs/own/negotiate', (c) => c.text('negotiated'))
  const app = createApplication({
    ...{ title: 'Host', authenticate, logger: captureLog().logger },
    database: openPool('postgres://nobody@127.0.0.1:1/none'),
    modules: [{ name: 'test', router }],
    rateLimit: { ...off, ...limits },
  })
  const send = (method: string, user?: string, path = '/api/things') =>
    app.request(path, {
      method,
      headers: { ...(user === undefined ? {} : { User: user }), 'Idempotency-Key': 'key' },
    })
  /** Sends a request, waits until its handler runs, and returns the response to come. */
  const hold = async (user: string) => {
    const inHandler = new Promise<void>((resolve) => entered.push(resolve))
    const response = send('GET', user, '/api/held')
    await inHandler
    return { response }
  }
  const statusesOf = async (count: number, user?: string) =>
    (await Promise.all(Array.from({ length: count }, () => send('POST', user)))).map(({ status }) => status)
  return { app, send, hold, release: released.resolve, statusesOf }
}

describe('writes of a user', () => {
  test('above the limit receive 429 with problem details and the time to wait', async () => {
    const { send } = open({ writesPerUser: perDay(2) })
    const first = await send('POST', 'ada')
    expect(first.status).toBe(201)
    expect(first.headers.get('RateLimit-Policy')).toBe('"user";q=2;w=86400')
    expect(first.headers.get('RateLimit')).toBe('"user";r=1;t=43200')
    const second = await send('DELETE', 'ada')
    expect(second.status).toBe(404)
    expect(second.headers.get('RateLimit')).toBe('"user";r=0;t=86400')
    const third = await send('POST', 'ada')
    expect(third.status).toBe(429)
    expect(third.headers.get('Content-Type')).toBe('application/problem+json')
    expect(third.headers.get('Retry-After')).toBe('43200')
    expect(third.headers.get('RateLimit-Policy')).toBe('"user";q=2;w=86400')
    expect(third.headers.get('RateLimit')).toBe('"user";r=0;t=86400')
    expect(await third.json()).toMatchObject({
      code: 'request.rate_limited',
      status: 429,
      context: { policy: 'user', max: 2 },
      requestId: third.headers.get('X-Request-Id'),
    })
  })

  test('do not affect other users, and reads are not limited', async () => {
    const { send, statusesOf } = open({ writesPerUser: perDay(1), writesPerAddress: perDay(100) })
    expect(await statusesOf(2, 'ada')).toEqual([201, 429])
    expect(await statusesOf(2, 'bob')).toEqual([201, 429])
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const response = await send(method, 'ada')
      expect(response.ok).toBe(true)
      expect(response.headers.get('RateLimit')).toBeNull()
    }
  })

  test('are counted exactly when they arrive together, including repeats of one key', async () => {
    const { statusesOf } = open({ writesPerUser: perDay(10) })
    const statuses = await statusesOf(200, 'ada')
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(190)
  })

  test('are allowed again after the time in Retry-After', async () => {
    let ms = 0
    const config = { ...off, writesPerUser: { count: 2, windowMs: 10_000 } }
    const app = new Hono<KitEnv>()
      .use(limitRequests(authenticate, config, () => ms))
      .post('/', (c) => c.text('made', 201))
      .onError((error, c) => c.text('', 429, Reflect.get(error, 'headers')))
    const send = () => app.request('/', { method: 'POST', headers: { User: 'ada' } })
    expect([(await send()).status, (await send()).status]).toEqual([201, 201])
    const refused = await send()
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '5'])
    ms = 5_000
    expect([(await send()).status, (await send()).status]).toEqual([201, 429])
  })
})

describe('writes from an address', () => {
  test('are limited together for all users', async () => {
    const { send, statusesOf } = open({ writesPerAddress: perDay(3) })
    expect(await statusesOf(2, 'ada')).toEqual([201, 201])
    expect(await statusesOf(2, 'bob')).toEqual([201, 429])
    const response = await send('POST', 'ada')
    expect(response.headers.get('RateLimit')).toMatch(/^"address";r=0;t=\d+$/)
    expect(await response.json()).toMatchObject({ context: { policy: 'address', max: 3 } })
  })

  test('a user above the own limit does not use up the limit of the address', async () => {
    const { send, statusesOf } = open({ writesPerUser: perDay(2), writesPerAddress: perDay(10) })
    await statusesOf(100, 'flooder')
    expect(await statusesOf(2, 'ada')).toEqual([201, 201])
    const { headers } = await send('POST', 'bob')
    expect(headers.get('RateLimit-Policy')).toBe('"user";q=2;w=86400, "address";q=10;w=86400')
    expect(headers.get('RateLimit')).toMatch(/^"user";r=1;t=\d+, "address";r=5;t=\d+$/)
  })

  test('are limited also for users below their own limits', async () => {
    const { statusesOf } = open({ writesPerUser: perDay(3), writesPerAddress: perDay(5) })
    expect(await statusesOf(3, 'ada')).toEqual([201, 201, 201])
    expect((await statusesOf(3, 'bob')).toSorted()).toEqual([201, 201, 429])
  })

  test('requests that middleware of the application refuses are limited, too', async () => {
    const { send } = open({ writesPerAddress: perDay(2) })
    expect((await send('POST', 'forged')).status).toBe(403)
    expect((await send('POST', 'forged')).status).toBe(403)
    expect((await send('POST', 'forged')).status).toBe(429)
  })

  test('requests without a valid user are limited, and do not use up the limit of users', async () => {
    const { send, statusesOf } = open({ writesPerAddress: perDay(2) })
    expect(await statusesOf(3)).toEqual([401, 401, 429])
    expect(await statusesOf(3, 'ada')).toEqual([201, 201, 429])
    expect((await send('GET')).status).toBe(401)
    expect((await send('POST', 'broken')).status).toBe(503)
  })

  test('are limited if the authentication itself answers requests without a user', async () => {
    const app = new Hono<KitEnv>()
      .use(limitRequests(async (c) => c.text('sign in', 401), { ...off, writesPerAddress: perDay(2) }))
      .onError((error, c) => c.text('', isKitError(error) && error.status === 429 ? 429 : 500))
    const statuses: number[] = []
    for (const method of ['POST', 'GET', 'POST', 'POST', 'GET']) {
      statuses.push((await app.request('/', { method })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429, 401])
  })

  test.each([
    ['an untrusted client cannot choose its address', [], [201, 429, 429]],
    ['a trusted proxy names the addresses of its clients', ['127.0.0.1'], [201, 201, 429]],
  ])('%s', async (_fact, proxies, expected) => {
    const trustedProxies = proxies.map(parseNetwork).filter((network) => network !== undefined)
    const { app } = open({ writesPerAddress: perDay(1), trustedProxies })
    const server = await listen(app, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.close(0))
    const statuses: number[] = []
    for (const forwarded of ['203.0.113.1', '203.0.113.2', '198.51.100.9, 203.0.113.2']) {
      const headers = { User: 'ada', 'X-Forwarded-For': forwarded }
      statuses.push((await fetch(`${server.url}/api/things`, { method: 'POST', headers })).status)
    }
    expect(statuses).toEqual(expected)
  })
})

describe('requests in progress', () => {
  test('of one user are limited, and each one that ends makes room', async () => {
    const { send, hold, release } = open({ concurrentPerUser: 2 })
    const held = await Promise.all([hold('ada'), hold('ada')])
    const refused = await send('GET', 'ada')
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect(refused.headers.get('RateLimit-Policy')).toBe('"concurrent";q=2;qu="concurrent-requests"')
    expect(await refused.json()).toMatchObject({
      code: 'request.rate_limited',
      context: { policy: 'concurrent', max: 2 },
    })
    expect((await send('GET', 'bob')).status).toBe(200)
    release()
    await Promise.all(held.map(({ response }) => response))
    expect((await send('GET', 'ada')).status).toBe(200)
  })

  test('that send a stream end with the stream', async () => {
    const { app, release } = open({ concurrentPerUser: 1 })
    const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => close(0))
    const get = (path: string) => fetch(url + path, { headers: { User: 'ada' } })
    const stream = await get('/api/stream')
    expect((await get('/api/things')).status).toBe(429)
    release()
    await stream.text()
    await vi.waitFor(async () => expect((await get('/api/things')).status).toBe(200))
  })

  test('that fail make room too', async () => {
    const { send } = open({ concurrentPerUser: 1 })
    for (let n = 0; n < 3; n += 1) expect((await send('DELETE', 'ada')).status).toBe(404)
  })
})

test('health and the negotiation of a hub are never limited', async () => {
  const { send, statusesOf } = open({
    writesPerUser: perDay(1),
    writesPerAddress: perDay(1),
    concurrentPerUser: 1,
  })
  await statusesOf(20, 'ada')
  await statusesOf(20)
  expect((await send('GET', undefined, '/health/live')).status).toBe(200)
  expect((await send('POST', undefined, '/hubs/own/negotiate')).status).toBe(200)
})

test('without limits, authentication is unchanged', () => {
  expect(limitRequests(authenticate, off)).toBe(authenticate)
})
