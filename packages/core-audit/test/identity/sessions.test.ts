import { CoreError } from '@vertical-kit/core-audit'
import type { MeAccess } from '@vertical-kit/core-audit/contract'
import { createApplication, createLogger } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { createIdentity, type Principal, type Tokens } from '@vertical-kit/core-audit/identity'
import type { MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { getCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { expect, test } from 'vitest'
import { json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const principal = (subject: string): Principal => ({
  ...{ subject, email: `${subject}@example.com`, displayName: subject, isAdministrator: false },
  expiresAtMs: Number.POSITIVE_INFINITY,
})

/** The sessions of an application. */
const sessions = new Map([
  ['session-of-ada', 'ada'],
  ['session-of-leaver', 'leaver'],
])

const cookieSessions: Tokens = {
  read: (c) => getCookie(c, 'session'),
  async verify(token) {
    const subject = sessions.get(token)
    if (subject === undefined) throw new CoreError('auth.required')
    return principal(subject)
  },
}

/** Reads the subject from a header of a gateway, which must remove this header from client requests. */
const gatewayHeaders: Tokens = {
  read: (c) => c.req.header('x-authenticated-user'),
  verify: async (subject) => principal(subject),
}

/** Returns a function that sends requests to a host with these tokens. */
function requester(tokens: Tokens, before: readonly MiddlewareHandler<KitEnv>[] = []) {
  const { database, outbox } = host
  const identity = createIdentity({ database, outbox, tokens, administratorRoleCodes: [], modules: [] })
  const authenticate = every(...before, identity.authenticate)
  const logger = createLogger({ level: 'silent' })
  const app = createApplication({ title: 'Host', authenticate, database, modules: [identity], logger })
  return async (
    headers: Readonly<Record<string, string>>,
    method = 'GET',
    path = '/api/security/me/access',
  ) => app.request(path, { method, headers })
}

test('a cookie session identifies the caller, and the user record grants the rights', async () => {
  const role = await host.makeRole('reader', ['system.roles.view'])
  const body = { subject: 'ada', email: null, displayName: 'Ada', roleIds: [role.id] }
  const { id } = await json<{ id: string }>(await host.root('POST', '/api/security/users', { body }))
  const request = requester(cookieSessions)
  const headers = { Cookie: 'theme=dark; session=session-of-ada' }
  expect(await json<MeAccess>(await request(headers))).toMatchObject({
    userId: id,
    subject: 'ada',
    permissions: ['system.roles.view'],
  })
  expect((await request(headers, 'GET', '/api/security/roles')).status).toBe(200)
  expect(await problem(await request(headers, 'GET', '/api/security/users'))).toMatchObject({
    code: 'permission.denied',
  })
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['no cookie', {}],
  ['another cookie', { Cookie: 'theme=dark' }],
  ['an empty cookie', { Cookie: 'session=' }],
  ['an unknown session', { Cookie: 'session=session-of-nobody' }],
  ['the session as a bearer token', { Authorization: 'Bearer session-of-ada' }],
])('a request with %s is rejected', async (_what, headers) => {
  const response = await requester(cookieSessions)(headers)
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  expect(await problem(response)).toMatchObject({ status: 401, code: 'auth.required' })
})

test('the session of a deactivated user is rejected', async () => {
  const request = requester(cookieSessions)
  const headers = { Cookie: 'session=session-of-leaver' }
  const { userId } = await json<MeAccess>(await request(headers))
  await json(await host.root('POST', `/api/security/users/${userId}/deactivate`))
  expect(await problem(await request(headers))).toMatchObject({ status: 403, code: 'auth.inactive' })
})

test('a gateway header identifies the caller, and requests without it are rejected', async () => {
  const request = requester(gatewayHeaders)
  expect(await json<MeAccess>(await request({ 'X-Authenticated-User': 'grace' }))).toMatchObject({
    subject: 'grace',
    email: 'grace@example.com',
    userId: expect.any(String),
  })
  for (const headers of [{}, { 'X-Authenticated-User': '' }, { Authorization: 'Bearer grace' }]) {
    expect(await problem(await request(headers as Record<string, string>))).toMatchObject({
      code: 'auth.required',
    })
  }
})

test('with csrf(), a request with a cookie from a page of another site changes nothing', async () => {
  const role = await host.makeRole('people', ['system.users.manage', 'system.users.view'])
  const body = { subject: 'manager', email: null, displayName: 'Manager', roleIds: [role.id] }
  const { id } = await json<{ id: string }>(await host.root('POST', '/api/security/users', { body }))
  sessions.set('session-of-manager', 'manager')
  const request = requester(cookieSessions, [csrf()])
  const Cookie = 'session=session-of-manager'
  const deactivate = `/api/security/users/${id}/deactivate`
  for (const site of ['cross-site', 'same-site']) {
    const forged = { Cookie, Origin: 'https://evil.example.com', 'Sec-Fetch-Site': site }
    const refused = await request(forged, 'POST', deactivate)
    expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await problem(refused)).toMatchObject({ status: 403, code: 'request.refused' })
  }
  expect((await request({ Cookie }, 'POST', deactivate)).status).toBe(403)
  expect(await json(await request({ Cookie }, 'GET', `/api/security/users/${id}`))).toMatchObject({
    isActive: true,
  })
  const own = { Cookie, Origin: 'http://localhost', 'Sec-Fetch-Site': 'same-origin' }
  expect((await request(own, 'POST', deactivate)).status).toBe(200)
})
