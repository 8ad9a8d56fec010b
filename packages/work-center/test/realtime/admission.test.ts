import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { connect, refusalOf } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
let account: TestAccount
let token: string
beforeAll(async () => {
  deployment = await openDeployment()
  const config = { allowedOrigins: ['https://app.example.com'], maxConnectionsPerUser: 100 }
  replica = await deployment.openReplica({ config })
  account = await deployment.addAccount()
  token = await deployment.token(account)
})
afterAll(() => deployment.close())

const negotiateUrl = (): string => `${replica.url}/hubs/work-center/negotiate?negotiateVersion=1`

const negotiate = (headers: Readonly<Record<string, string>>, query = ''): Promise<Response> =>
  fetch(negotiateUrl() + query, { method: 'POST', headers })

const codeOf = async (response: Response): Promise<readonly [number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
]

const bearer = () => ({ Authorization: `Bearer ${token}` })

describe('negotiation', () => {
  test('offers WebSockets with text to an authenticated caller', async () => {
    const response = await negotiate(bearer())
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      negotiateVersion: 1,
      connectionId: expect.stringMatching(/^[\da-f-]{36}$/),
      connectionToken: expect.stringMatching(/^[\da-f-]{36}$/),
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
    })
  })

  test('accepts the token as a query parameter too', async () => {
    expect((await negotiate({}, `&access_token=${token}`)).status).toBe(200)
  })

  test('sends CORS headers to an allowed page of another origin', async () => {
    const origin = 'https://app.example.com'
    const preflight = await fetch(negotiateUrl(), {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,x-requested-with,x-signalr-user-agent',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('x-signalr-user-agent')
    const response = await negotiate({ ...bearer(), Origin: origin })
    expect(response.status).toBe(200)
    for (const { headers } of [preflight, response]) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
      expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
    }
  })

  test('sends no CORS headers to other pages', async () => {
    const response = await negotiate({ ...bearer(), Origin: 'https://evil.example.com' })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})

/** `enter` resolves with `[200]`, or with the status and code of the refusal. */
describe.each([
  [
    'negotiation',
    async (headers: Readonly<Record<string, string>>, query: string) => {
      const response = await negotiate(headers, query.replace('?', '&'))
      return response.ok ? [200] : codeOf(response)
    },
  ],
  [
    'the upgrade',
    async (headers: Readonly<Record<string, string>>, query: string) => {
      const accessToken = new URLSearchParams(query).get('access_token')
      const options = accessToken === null ? { headers } : { headers, token: accessToken, isInQuery: true }
      const outcome = await connect(replica, options).catch(() => undefined)
      return outcome === undefined ? refusalOf(connect(replica, options)) : [200]
    },
  ],
])('%s', (_door, enter) => {
  test('refuses a request without a token', async () => {
    expect(await enter({}, '')).toEqual([401, 'auth.required'])
  })

  test.each([
    ['a text that is not a token', () => 'bad'],
    ['a token with another signature', () => `${token.slice(0, -6)}AAAAAA`],
    ['an empty token', () => ''],
    ['two tokens', () => `${token} ${token}`],
    ['a value that is invalid in a header', () => 'a\r\nb'],
  ])('refuses %s as the query parameter', async (_what, make) => {
    expect(await enter({}, `?access_token=${encodeURIComponent(make())}`)).toEqual([401, 'auth.required'])
  })

  test.each(['Bearer', 'Bearer bad', 'Basic dXNlcjpwYXNz', 'bad'])(
    'refuses the authorization header %j',
    async (value) => {
      expect(await enter({ Authorization: value }, '')).toEqual([401, 'auth.required'])
    },
  )

  test('refuses an invalid header even if the query parameter contains a valid token', async () => {
    expect(await enter({ Authorization: 'Bearer bad' }, `?access_token=${token}`)).toEqual([
      401,
      'auth.required',
    ])
  })

  test('refuses a token that has expired', async () => {
    const expired = await deployment.token(account, { expiresAtMs: deployment.clock.nowMs - 1_000 })
    expect(await enter({ Authorization: `Bearer ${expired}` }, '')).toEqual([401, 'auth.required'])
  })

  test('refuses a deactivated account', async () => {
    const inactive = await deployment.addAccount()
    await deployment.deactivate(inactive)
    const headers = { Authorization: `Bearer ${await deployment.token(inactive)}` }
    expect(await enter(headers, '')).toEqual([403, 'auth.inactive'])
  })

  test.each([
    'https://evil.example.com',
    'null',
    'https://app.example.com.evil.com',
    'http://app.example.com',
    '',
  ])('refuses a page of the origin %j, with or without a token', async (origin) => {
    const refusal = [403, 'work_center.origin_refused']
    expect(await enter({ ...bearer(), Origin: origin }, '')).toEqual(refusal)
    expect(await enter({ Origin: origin }, '')).toEqual(refusal)
  })

  test('admits pages of allowed origins, pages of the host’s own origin, and clients that are not pages', async () => {
    for (const headers of [{ Origin: 'https://app.example.com' }, { Origin: replica.url }, {}]) {
      expect(await enter({ ...bearer(), ...headers }, '')).toEqual([200])
    }
  })
})
