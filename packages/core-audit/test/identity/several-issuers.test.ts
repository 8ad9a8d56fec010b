import type { MeAccess } from '@vertical-kit/core-audit/contract'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, problem, useSecurityHost } from './harness.ts'
import { tokenHost } from './token-hosts.ts'

const host = useSecurityHost()
let own: TestIssuer
let partners: TestIssuer
let open: ReturnType<typeof tokenHost>

beforeAll(async () => {
  ;[own, partners] = await Promise.all([startTestIssuer(), startTestIssuer()])
  const furtherIssuers = new Map([
    ['partners', { ...partners.oidc, administratorRole: null, roleMap: new Map([['guests', 'guest']]) }],
  ])
  open = tokenHost(host, { ...own.oidc, roleMap: new Map([['clerks', 'guest']]), furtherIssuers })
  await host.makeRole('guest', ['system.roles.view'])
})
afterAll(() => Promise.all([own.close(), partners.close()]))

const access = async (token: string) => json<MeAccess>(await open.request(token))

test('equal subjects of two issuers are different users', async () => {
  const one = await access(await own.token({ subject: 'alice' }))
  const other = await access(await partners.token({ subject: 'alice' }))
  expect(one.subject).toBe('alice')
  expect(other.subject).toBe('@partners/alice')
  expect(other.userId).not.toBe(one.userId)
  expect((await access(await partners.token({ subject: 'alice' }))).userId).toBe(other.userId)
})

test('a user of a further issuer can be invited', async () => {
  const body = { subject: '@partners/bob', email: null, displayName: 'Bob', roleIds: [] }
  const { id } = await json<{ id: string }>(await host.root('POST', '/api/security/users', { body }))
  expect(await access(await partners.token({ subject: 'bob' }))).toMatchObject({ userId: id })
})

test('the role map and the administrator role of an issuer apply to its own tokens only', async () => {
  const roles = ['guests', 'clerks', 'platform-admin']
  expect(await access(await own.token({ subject: 'own', roles }))).toMatchObject({ isAdministrator: true })
  for (const [group, count] of [
    ['guests', 1],
    ['clerks', 0],
    ['platform-admin', 0],
  ] as const) {
    const partner = await access(await partners.token({ subject: `p-${group}`, roles: [group] }))
    expect(partner.isAdministrator).toBe(false)
    expect(partner.roles).toHaveLength(count)
  }
  expect((await access(await own.token({ subject: 'o', roles: ['guests'] }))).roles).toEqual([])
})

test.each(['@partners/alice', '@unknown/alice'])(
  'the first issuer cannot issue the subject %s',
  async (subject) => {
    const response = await open.request(await own.token({ subject }))
    expect(await problem(response)).toMatchObject({ status: 401, code: 'auth.required' })
    expect((await access(await own.token({ subject: '@alice' }))).subject).toBe('@alice')
  },
)

test('a token that names another issuer than its signer is rejected', async () => {
  const [header, payload, signature] = (await own.token({ subject: 'alice' })).split('.')
  const claims = JSON.parse(Buffer.from(payload as string, 'base64url').toString())
  const as = (iss: unknown) =>
    [header, Buffer.from(JSON.stringify({ ...claims, iss })).toString('base64url'), signature].join('.')
  for (const iss of [partners.oidc.issuer, 'https://unknown.example.com', 7, undefined]) {
    expect(await problem(await open.request(as(iss)))).toMatchObject({ code: 'auth.required' })
  }
  for (const token of ['letmein', 'a.b.c', `${header}..${signature}`]) {
    expect(await problem(await open.request(token))).toMatchObject({ code: 'auth.required' })
  }
})

test('a subject that is too long together with the name of its issuer is rejected', async () => {
  const token = await partners.token({ subject: 'x'.repeat(250) })
  expect(await problem(await open.request(token))).toMatchObject({ status: 401, code: 'auth.required' })
})

test('the health report has an entry for each issuer, and one that is down does not affect the other’s users', async () => {
  const health = async () => (await open.app.request('/health')).json()
  expect(await health()).toMatchObject({
    entries: { identityProvider: { status: 'Healthy' }, 'identityProvider.partners': { status: 'Healthy' } },
  })
  const closed = await startTestIssuer()
  await closed.close()
  const other = tokenHost(host, { ...own.oidc, furtherIssuers: new Map([['closed', closed.oidc]]) })
  expect((await other.request(await own.token({ subject: 'alice' }))).status).toBe(200)
  expect((await other.request(await closed.token({ subject: 'alice' }))).status).toBe(503)
})
