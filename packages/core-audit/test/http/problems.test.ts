import { CoreError, isKitError } from '@vertical-kit/core-audit'
import { problems, requestId } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { expect, test } from 'vitest'

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
