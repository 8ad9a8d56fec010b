import type { IncomingMessage } from 'node:http'
import { authenticateWith } from '@vertical-kit/core-audit/http'
import { HTTPException } from 'hono/http-exception'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { connect, refusalOf } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
let account: TestAccount

/** Authenticates by a property of the server's request, as the middleware of a session sets one; here, it is the header. */
const authenticate = authenticateWith(async (c) => {
  const { incoming } = c.env as { readonly incoming: IncomingMessage }
  const session = incoming.headers['x-session']
  if (session === 'refused') throw new HTTPException(403, { message: 'Your session may not use this.' })
  if (session === 'basic') {
    const res = new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="shop"' } })
    throw new HTTPException(401, { res })
  }
  if (session !== 'good') throw new HTTPException(401)
  c.get('logger').warn({ requestId: c.get('requestId') }, 'a session was read')
  return { userId: account.userId, displayName: 'Vera', permissions: [] }
})

beforeAll(async () => {
  deployment = await openDeployment()
  account = await deployment.addAccount()
  replica = await deployment.openReplica({ authenticate })
})
afterAll(() => deployment.close())

type Headers = Readonly<Record<string, string>>

const negotiate = async (headers: Headers): Promise<readonly unknown[]> => {
  const url = `${replica.url}/hubs/work-center/negotiate?negotiateVersion=1`
  const response = await fetch(url, { method: 'POST', headers })
  return response.ok ? [200] : [response.status, ((await response.json()) as { code: string }).code]
}

const upgrade = async (headers: Headers): Promise<readonly unknown[]> => {
  const connecting = connect(replica, { headers })
  const client = await connecting.catch(() => undefined)
  return client === undefined ? refusalOf(connecting) : [200]
}

describe.each([
  ['negotiation', negotiate],
  ['the upgrade', upgrade],
])('%s with the authentication of an application', (_door, enter) => {
  test('reads the request of the server, the request id and the log', async () => {
    expect(await enter({ 'X-Session': 'good', 'X-Request-Id': 'session-1' })).toEqual([200])
    const line = replica.logLines.findLast((text) => text.includes('a session was read'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ requestId: 'session-1' })
  })

  test('keeps the refusals of Hono’s middleware, which are no faults', async () => {
    const before = replica.logLines.length
    expect(await enter({})).toEqual([401, 'auth.required'])
    expect(await enter({ 'X-Session': 'refused' })).toEqual([403, 'request.refused'])
    expect(await enter({ 'X-Session': 'basic' })).toEqual([401, 'auth.required'])
    expect(replica.logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([])
  })
})

test('the negotiation keeps the challenge of a middleware', async () => {
  const url = `${replica.url}/hubs/work-center/negotiate?negotiateVersion=1`
  const challengeOf = async (session: string) =>
    (await fetch(url, { method: 'POST', headers: { 'X-Session': session } })).headers.get('WWW-Authenticate')
  expect(await challengeOf('basic')).toBe('Basic realm="shop"')
  expect(await challengeOf('none')).toBe('Bearer')
})
