import type { MeAccess } from '@vertical-kit/core-audit/contract'
import { createApplication } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { createIdentity, type Identity, oidcTokens } from '@vertical-kit/core-audit/identity'
import { type CapturedLog, captureLog } from '@vertical-kit/core-audit/testing'
import { Context } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { administratorRoleCode, json, problem, trade, useSecurityHost } from './harness.ts'
import { createSigningKey, keysPath, type ScriptedIssuer, startScriptedIssuer } from './scripted-issuer.ts'

const key = await createSigningKey('key')
const host = useSecurityHost()
let issuer: ScriptedIssuer
let identity: Identity
let nowMs: number
let log: CapturedLog
let app: ReturnType<typeof createApplication>

beforeEach(async () => {
  nowMs = Date.parse('2026-01-31T12:00:00.000Z')
  issuer = await startScriptedIssuer(key)
  identity = open()
  log = captureLog('error')
  const { authenticate } = identity
  const { database } = host
  app = createApplication({
    title: 'Host',
    authenticate,
    database,
    modules: [identity, trade],
    logger: log.logger,
  })
})
afterEach(() => issuer.stop())

const open = (more: Partial<Parameters<typeof createIdentity>[0]> = {}) =>
  createIdentity({
    database: host.database,
    outbox: host.outbox,
    tokens: oidcTokens(issuer.oidc, { now: () => nowMs }),
    administratorRoleCodes: [administratorRoleCode],
    modules: [trade],
    ...more,
  })

const sign = (subject: string, more: object = {}) =>
  key.sign({
    iss: issuer.oidc.issuer,
    aud: issuer.oidc.audience,
    sub: subject,
    exp: nowMs / 1000 + 60,
    ...more,
  })

async function send(token: string, method = 'GET', path = '/api/security/me/access', body?: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return app.request(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

test('a failing issuer causes 503, not 401, and tokens are accepted again when the issuer answers', async () => {
  const token = await sign('clerk')
  issuer.answer(keysPath, { status: 500, body: 'secret words of the issuer' })
  const response = await send(token)
  expect(response.status).toBe(503)
  expect(response.headers.get('Retry-After')).toBe('1')
  expect(await problem(response)).toEqual({
    type: 'urn:vertical-kit:problem:service.unavailable',
    title: 'Service Unavailable',
    status: 503,
    detail: 'The identity provider cannot be reached.',
    code: 'service.unavailable',
  })
  expect(log.lines).toHaveLength(1)
  expect(log.lines[0]).toContain('The identity provider answered 500.')
  expect(log.lines[0]).not.toContain(token)
  issuer.publish(key)
  nowMs += 1_000
  expect((await send(token)).status).toBe(200)
})

test('an invalid token causes 401 and is not logged', async () => {
  const token = `${await sign('clerk')}x`
  expect((await send(token)).status).toBe(401)
  expect(log.lines).toEqual([])
})

test('a token without a name or e-mail address does not change those of the user record', async () => {
  const administrator = { roles: ['platform-admin'] }
  const named = await sign('ada', { ...administrator, name: 'Ada', email: 'ada@example.com' })
  const nameless = await sign('ada', administrator)
  await json(await send(named, 'POST', '/api/security/roles', { code: 'by-name', name: 'Role' }))
  expect(await json<MeAccess>(await send(nameless))).toMatchObject({
    displayName: 'Ada',
    email: 'ada@example.com',
  })
  const { userId } = await json<MeAccess>(await send(nameless))
  await json(await send(nameless, 'POST', '/api/security/roles', { code: 'by-no-name', name: 'Role' }))
  expect(await json(await send(nameless, 'GET', `/api/security/users/${userId}`))).toMatchObject({
    displayName: 'Ada',
    email: 'ada@example.com',
  })
})

test('for a user without a name, the subject is the display name', async () => {
  expect(await json<MeAccess>(await send(await sign('nobody')))).toMatchObject({
    displayName: 'nobody',
    email: null,
  })
})

test('a token is rejected from its expiry on, even if it is remembered', async () => {
  const token = await sign('clerk')
  expect((await send(token)).status).toBe(200)
  nowMs += 60_000
  expect((await send(token)).status).toBe(401)
})

test('health shows whether the identity provider answers', async () => {
  const report = async () => (await app.request('/health')).json()
  expect(await report()).toMatchObject({ entries: { identityProvider: { status: 'Healthy' } } })
  await issuer.stop()
  nowMs += 5_000
  expect(await report()).toMatchObject({
    status: 'Unhealthy',
    entries: { identityProvider: { status: 'Unhealthy' } },
  })
  await issuer.start()
  nowMs += 1_000
  expect(await report()).toMatchObject({ entries: { identityProvider: { status: 'Healthy' } } })
})

/** Authenticates a request without a route and returns its context. */
async function authenticated(token: string) {
  const c = new Context<KitEnv>(new Request('http://host', { headers: { Authorization: `Bearer ${token}` } }))
  await identity.authenticate(c, async () => {})
  return c
}

/** Loads the caller again, with current rights. */
const callerNow = (c: Context<KitEnv>) => host.database.transaction((tx) => c.get('callerNow')(tx))

test('authentication sets the expiry of the credentials', async () => {
  const c = await authenticated(await sign('socket'))
  expect(c.get('credentialsExpireAtMs')).toBe(nowMs + 60_000)
  expect(c.get('caller')).toMatchObject({ subject: 'socket', isAdministrator: false })
})

test('a caller that is loaded again has current rights', async () => {
  const role = await host.makeRole('reloaded', ['system.roles.view'])
  const { id } = await host.makeUser('reloaded', [role])
  const c = await authenticated(await sign('reloaded'))
  expect([...c.get('caller').permissions]).toEqual(['system.roles.view'])
  await json(await host.root('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [] } }))
  expect([...(await callerNow(c)).permissions]).toEqual([])
  await json(await host.root('POST', `/api/security/users/${id}/deactivate`))
  await expect(callerNow(c)).rejects.toMatchObject({ code: 'auth.inactive' })
})

test('an administrator by token is still an administrator when loaded again', async () => {
  const c = await authenticated(await sign('boss', { roles: ['platform-admin'] }))
  expect(await callerNow(c)).toMatchObject({ isAdministrator: true, isPlatformAdministrator: true })
})

test('createIdentity rejects invalid role and permission codes, and one error names all of them', () => {
  const permission = { displayName: '', group: '', description: '' }
  const wrong = {
    ...trade,
    permissions: [
      { ...permission, permission: 'trade.view' },
      { ...permission, permission: 'system.a b.view' },
    ],
  }
  expect(() =>
    open({ administratorRoleCodes: ['Trade.Administrator', 'pm-administrator'], modules: [wrong] }),
  ).toThrow(
    new TypeError(
      'createIdentity cannot use these codes:\nTrade.Administrator is not a role code\n' +
        'system.a b.view is not a permission\ntrade.view is not a permission',
    ),
  )
})
