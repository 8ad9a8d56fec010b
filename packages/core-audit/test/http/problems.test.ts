import { CoreError, isKitError } from '@vertical-kit/core-audit'
import { problems, requestId } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import { csrf } from 'hono/csrf'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, test } from 'vitest'

/** The context variables of an application. The kit does not know these variables. */
interface ShopEnv {
  Variables: { user: { readonly name: string } }
}

const refuse = (): never => {
  throw new CoreError('service.unavailable')
}

test('an application with its own variables can return problem details for refusals of the kit', async () => {
  const answer = problems({ error: () => {} })
  const app = new Hono<ShopEnv>().use(requestId()).get('/', refuse)
  app.onError((error, c) => (isKitError(error) ? answer(error, c) : c.text(c.get('user').name, 500)))

  const response = await app.request('/', { headers: { 'X-Request-Id': 'r-1' } })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'service.unavailable', requestId: 'r-1' })
})

test('problem details contain a request id even without the requestId middleware', async () => {
  const app = new Hono<ShopEnv>().get('/', refuse)
  app.onError(problems({ error: () => {} }))

  const given = await app.request('/', { headers: { 'X-Request-Id': 'r-2' } })
  expect(await given.json()).toMatchObject({ requestId: 'r-2' })
  const made = await app.request('/')
  expect(await made.json()).toMatchObject({ requestId: expect.stringMatching(/^[\w-]{36}$/) })
})

describe('a refusal of Hono’s middleware', () => {
  const app = new Hono()
    .use('/api/basic', basicAuth({ username: 'ada', password: 'secret' }))
    .use('/page', csrf())
    .use('/kit/api/forms', csrf())
    .get('/api/message', () => {
      throw new HTTPException(418, { message: 'The pot is empty.' })
    })
    .get('/api/json', () => {
      throw new HTTPException(409, { res: Response.json({ reason: 'own' }, { status: 409 }) })
    })
    .get('/api/late', () => {
      throw new HTTPException(504, { message: 'Gateway Timeout' })
    })
  app.onError(problems({ error: () => {} }))

  test.each([
    ['POST', '/kit/api/forms', 403, 'request.refused', 'The service refused the request.'],
    ['GET', '/api/basic', 401, 'auth.required', 'Sign in to use this service.'],
    ['GET', '/api/message', 418, 'request.refused', 'The pot is empty.'],
    ['GET', '/api/late', 500, 'internal', expect.any(String)],
  ])('of %s %s is problem details with status %i and code %s', async (method, path, status, code, detail) => {
    const response = await app.request(path, { method, headers: { 'X-Request-Id': 'r-3' } })
    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status, code, detail, requestId: 'r-3' })
  })

  test('keeps the headers of the middleware', async () => {
    const { headers } = await app.request('/api/basic')
    expect(headers.get('WWW-Authenticate')).toBe('Basic realm="Secure Area"')
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  test('keeps its response if that is not plain text', async () => {
    const response = await app.request('/api/json')
    expect([response.status, await response.json()]).toEqual([409, { reason: 'own' }])
  })

  test('stays text for people outside of the API', async () => {
    const response = await app.request('/page', { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([403, 'Forbidden'])
  })
})
