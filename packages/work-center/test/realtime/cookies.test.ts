import { CoreError } from '@vertical-kit/core-audit'
import type { Tokens } from '@vertical-kit/core-audit/identity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { connect, refusalOf } from './raw-client.ts'
import type { Replica } from './replica.ts'

const page = 'https://app.example.com'

let deployment: Deployment
let replica: Replica
let account: TestAccount

/** Authenticates a request by the session in its cookie. Only one account and one session exist. */
const tokens: Tokens = {
  read: (c) => /(?:^|; )session=([^;]+)/.exec(c.req.header('cookie') ?? '')?.[1],
  async verify(token) {
    if (token !== 'good') throw new CoreError('auth.required')
    const { subject } = account
    const expiresAtMs = deployment.clock.nowMs + 3_600_000
    return { subject, email: null, displayName: subject, isAdministrator: false, expiresAtMs }
  },
}

beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica({ config: { allowedOrigins: [page] }, tokens })
  account = await deployment.addAccount()
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
])('%s with a cookie', (_door, enter) => {
  const Cookie = 'theme=dark; session=good'
  const refused = [403, 'work_center.origin_refused']

  test('admits pages of an allowed origin, and pages of the host’s own origin', async () => {
    expect(await enter({ Cookie, Origin: page })).toEqual([200])
    expect(await enter({ Cookie, Origin: replica.url })).toEqual([200])
  })

  test('refuses a request without an origin, because any page can make a browser send the cookie', async () => {
    expect(await enter({ Cookie })).toEqual(refused)
  })

  test.each(['https://evil.example.com', 'null', 'http://app.example.com'])(
    'refuses a page of the origin %s',
    async (Origin) => {
      expect(await enter({ Cookie, Origin })).toEqual(refused)
    },
  )

  test('refuses an unknown session even from an allowed page', async () => {
    expect(await enter({ Cookie: 'session=bad', Origin: page })).toEqual([401, 'auth.required'])
    expect(await enter({ Origin: page })).toEqual([401, 'auth.required'])
  })

  test('refuses a deactivated account', async () => {
    await deployment.operator`update core_audit.users set is_active = false where id = ${account.userId}`
    expect(await enter({ Cookie, Origin: page })).toEqual([403, 'auth.inactive'])
    await deployment.operator`update core_audit.users set is_active = true where id = ${account.userId}`
  })
})
