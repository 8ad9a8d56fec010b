import { CoreError, isKitError, newId } from '@vertical-kit/core-audit'
import type { ProblemDetails } from '@vertical-kit/core-audit/contract'
import {
  type ApplicationUser,
  api,
  authenticateWith,
  type FaultLogger,
  type KitEnv,
  problems,
  requestId,
} from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import * as v from 'valibot'
import { beforeEach, expect, test } from 'vitest'

const ada: ApplicationUser = { userId: newId(), displayName: 'Ada', permissions: ['system.things.write'] }
let users: Map<string, ApplicationUser>
let logged: (readonly [object, string])[]

/** A router like the router of a package. */
const router = new Hono<KitEnv>()
  .post(
    '/api/things',
    api({
      operationId: 'addThing',
      tag: 'Things',
      summary: 'Adds a thing.',
      permission: 'system.things.write',
      body: v.object({ name: v.pipe(v.string(), v.nonEmpty('expected a name')) }),
      responses: { 201: { description: 'The thing' } },
    }),
    async (c) => {
      const actor = await c.get('actor')()
      return c.json({ actor, caller: c.get('caller').subject }, 201)
    },
  )
  .get(
    '/api/things/manual',
    api({
      operationId: 'getManual',
      tag: 'Things',
      summary: 'How to use things.',
      responses: { 200: { description: 'The manual' } },
    }),
    (c) => c.text('Read me', 200, { 'Cache-Control': 'private, max-age=60' }),
  )
  .get('/api/fault', () => {
    throw new Error('a secret', { cause: new Error('another secret') })
  })
  .get('/api/missing', () => {
    throw new CoreError('business_object.not_found')
  })
  .post('/api/later', async (c) => {
    const before = c.get('caller').permissions.size
    users.delete('ada')
    const now = await c
      .get('callerNow')({ execute: async () => [] })
      .catch((error: unknown) => error)
    return c.json({ before, code: isKitError(now) ? now.code : null })
  })

const logger: FaultLogger = { error: (fields, message) => void logged.push([fields, message]) }

/** An application that does not use the kit's host. */
const app = new Hono()
  .route(
    '/',
    new Hono<KitEnv>()
      .use(
        '/api/*',
        requestId(),
        authenticateWith(async (c) => users.get(getCookie(c, 'user') ?? '') ?? null),
      )
      .route('/', router)
      .onError(problems(logger)),
  )
  .get('/own', (c) => c.text('own'))

beforeEach(() => {
  users = new Map([
    ['ada', ada],
    ['reader', { ...ada, userId: newId(), permissions: [] }],
  ])
  logged = []
})

type Sent = { user?: string; body?: string }

const send = (method: string, path: string, options: Sent = {}) =>
  app.request(path, {
    method,
    headers: {
      'X-Request-Id': 'mine',
      ...(options.user === undefined ? {} : { Cookie: `user=${options.user}` }),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: options.body }),
  })

test('a user of the application is the caller and the actor', async () => {
  const response = await send('POST', '/api/things', { user: 'ada', body: '{"name":"Bolt"}' })
  expect(response.status).toBe(201)
  expect(response.headers.get('X-Request-Id')).toBe('mine')
  expect(await response.json()).toEqual({
    actor: { userId: ada.userId, displayName: 'Ada', correlationId: 'mine' },
    caller: ada.userId,
  })
  expect(await (await app.request('/own')).text()).toBe('own')
})

test('the id of a user is lower-case', async () => {
  users.set('ada', { ...ada, userId: ada.userId.toUpperCase() })
  const response = await send('POST', '/api/things', { user: 'ada', body: '{"name":"Bolt"}' })
  expect(await response.json()).toMatchObject({ actor: { userId: ada.userId }, caller: ada.userId })
})

test.each(['alice', '42', ''])('a user with the id %j is a fault that names userId', async (userId) => {
  users.set('ada', { ...ada, userId })
  const response = await send('GET', '/api/things/manual', { user: 'ada' })
  expect(await response.json()).toMatchObject({ status: 500, code: 'internal' })
  const err = new TypeError('authenticateWith: userId is not a UUID; return the id of ensureUser')
  expect(logged).toMatchObject([[{ err }, 'internal']])
})

test('responses have Cache-Control: no-store unless the route sets another value', async () => {
  const added = await send('POST', '/api/things', { user: 'ada', body: '{"name":"Bolt"}' })
  expect(added.headers.get('Cache-Control')).toBe('no-store')
  const manual = await send('GET', '/api/things/manual', { user: 'ada' })
  expect(manual.headers.get('Cache-Control')).toBe('private, max-age=60')
})

test.each<[what: string, method: string, path: string, sent: Sent, status: number, code: string]>([
  ['without a user', 'POST', '/api/things', {}, 401, 'auth.required'],
  ['of an unknown user', 'POST', '/api/things', { user: 'eve' }, 401, 'auth.required'],
  ['without the permission', 'POST', '/api/things', { user: 'reader' }, 403, 'permission.denied'],
  ['with invalid JSON', 'POST', '/api/things', { user: 'ada', body: '{' }, 400, 'request.malformed'],
  ['without a body', 'POST', '/api/things', { user: 'ada' }, 415, 'request.unsupported_media_type'],
  ['with no name', 'POST', '/api/things', { user: 'ada', body: '{"name":""}' }, 400, 'request.invalid'],
  ['for an unknown object', 'GET', '/api/missing', { user: 'ada' }, 404, 'business_object.not_found'],
])(
  'a request %s returns problem details with the request id',
  async (_what, method, path, sent, status, code) => {
    const response = await send(method, path, sent)
    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(response.headers.get('X-Request-Id')).toBe('mine')
    expect(await response.json()).toMatchObject({ status, code, requestId: 'mine' })
    expect(logged).toEqual([])
  },
)

test('an unexpected error is logged once, and the response reveals nothing about the error', async () => {
  const response = await send('GET', '/api/fault', { user: 'ada' })
  expect(response.status).toBe(500)
  const body = (await response.json()) as ProblemDetails
  expect(body).toMatchObject({ code: 'internal', requestId: 'mine' })
  expect(JSON.stringify(body)).not.toContain('secret')
  expect(logged).toMatchObject([[{ requestId: 'mine', path: '/api/fault', code: 'internal' }, 'internal']])
})

test('callerNow rejects with auth.required if the user was removed during the request', async () => {
  const response = await send('POST', '/api/later', { user: 'ada' })
  expect(await response.json()).toEqual({ before: 1, code: 'auth.required' })
})
