import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDemo, openDemo } from '../demo-process.ts'
import { callers, expectedAnswer } from './callers.ts'
import { answerInShort, endpoints } from './endpoints.ts'
import { createWorld, type World } from './world.ts'

let demo: OpenDemo
let world: World

beforeAll(async () => {
  demo = await openDemo({ Attachments__MaxActivePerObject: '1000' })
  world = await createWorld(demo, callers)
})
afterAll(() => demo?.close())

const titled = endpoints.map(
  (endpoint) => [[endpoint.operation, endpoint.situation ?? []].flat().join(' '), endpoint] as const,
)

test.each(titled)('the rights of each caller decide the response of %s', async (_, endpoint) => {
  const actual: Record<string, string> = {}
  for (const caller of callers) {
    const call = await endpoint.call(world, caller)
    actual[caller] = await answerInShort(world.as(caller), endpoint.operation, call)
    await endpoint.restore?.(world)
  }
  const expected = callers.map((caller) => [
    caller,
    expectedAnswer(caller, endpoint.checks, endpoint.success),
  ])
  expect(actual).toEqual(Object.fromEntries(expected))
})

test('the table of endpoints contains every operation of the API', async () => {
  const description = (await (await fetch(`${demo.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const tried = new Set(endpoints.map(({ operation }) => operation))
  expect([...tried].toSorted()).toEqual(described.toSorted())
})

test.each(['/', '/docs', '/openapi.json', '/health', '/health/live', '/health/ready'])(
  'all callers can request %s',
  async (path) => {
    for (const caller of callers) expect((await world.as(caller)('GET', path)).status).toBe(200)
  },
)

test('the removed route for deriving documents does not exist', async () => {
  const response = await world.as('admin')('POST', '/api/documents/trade.sales_invoice/derive', { body: {} })
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'request.route_not_found' }])
})

test('a request with an invalid token is refused like a request without a token', async () => {
  const rejected = 'Bearer error="invalid_token"'
  for (const [authorization, challenge] of [
    ['Bearer x', rejected],
    ['Bearer a.b.c', rejected],
    ['Basic Y2xlcms6ZGVtbw==', 'Bearer'],
    ['Bearer', 'Bearer'],
  ] as const) {
    const response = await fetch(`${demo.url}/api/features`, { headers: { authorization } })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(challenge)
  }
})
