import type { MeAccess, Role, UserPage } from '@vertical-kit/core-audit/contract'
import { listen } from '@vertical-kit/core-audit/host'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { recordOnce } from '../../src/identity/authenticate.ts'
import { json, problem, useSecurityHost } from './harness.ts'

const host = useSecurityHost()

const mePath = '/api/security/me/access'
const access = async (request: TestRequest) => json<MeAccess>(await request('GET', mePath))

type UserRow = { id: string; email: string | null; display_name: string }
const usersOf = (subject: string) =>
  host.database.read(async (db) => [
    ...(await db.execute<UserRow>(
      sql`select id, email, display_name from core_audit.users where subject = ${subject}`,
    )),
  ])

let roleCount = 0
/** Adds a role. Like every change, it creates the caller's user record. */
const addRole = (request: TestRequest) => {
  roleCount += 1
  return request('POST', '/api/security/roles', { body: { code: `role-${roleCount}`, name: 'Role' } })
}

const invalidToken = 'Bearer error="invalid_token"'

test.each([
  ['no header', undefined, 'Bearer'],
  ['an empty header', '', 'Bearer'],
  ['another scheme', 'Basic Y2xlcms6ZGVtbw==', 'Bearer'],
  ['the scheme only', 'Bearer', 'Bearer'],
  ['two tokens', 'Bearer one two', invalidToken],
  ['a token with other characters', 'Bearer "quoted"', invalidToken],
  ['an invalid token', 'Bearer letmein', invalidToken],
  ['an unsigned token', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.', invalidToken],
])('a request with %s receives 401 and WWW-Authenticate', async (_, authorization, challenge) => {
  const response = await host.app.request(mePath, {
    headers: authorization === undefined ? {} : { Authorization: authorization },
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('WWW-Authenticate')).toBe(challenge)
  expect(response.headers.get('Content-Type')).toBe('application/problem+json')
  expect(await problem(response)).toMatchObject({ code: 'auth.required', status: 401 })
})

test('unknown paths below /api require authentication', async () => {
  expect((await host.app.request('/api/nothing')).status).toBe(401)
})

test('an oversized header is rejected before its token is read', async () => {
  const server = await listen(host.app, { host: '127.0.0.1', port: 0 })
  const headers = { Authorization: `Bearer ${'x'.repeat(20_000)}` }
  expect((await fetch(server.url + mePath, { headers })).status).toBe(431)
  await server.close(0)
})

test.each([
  ['a user', { subject: 'leaver' }],
  ['an administrator by the token', { subject: 'left-boss', roles: ['platform-admin'] }],
])('%s with a deactivated account can neither read nor change data', async (_, user) => {
  const request = await host.as({ ...user, permissions: ['system.roles.manage', 'system.roles.view'] })
  const { userId } = await access(request)
  await json(await host.root('POST', `/api/security/users/${userId}/deactivate`))
  for (const response of [
    await request('GET', mePath),
    await request('GET', '/api/security/roles'),
    await request('GET', '/api/security/users'),
    await addRole(request),
    await request('GET', '/api/nothing'),
  ]) {
    expect(response.status).toBe(403)
    expect(await problem(response)).toMatchObject({ code: 'auth.inactive' })
  }
})

test('a rejected change creates no user record', async () => {
  const stranger = await host.as({ subject: 'stranger' })
  expect((await addRole(stranger)).status).toBe(403)
  expect(await usersOf('stranger')).toEqual([])
  const boss = await host.as({ subject: 'clumsy', roles: ['platform-admin'] })
  expect((await boss('POST', '/api/security/roles', { body: { code: 'A' } })).status).toBe(400)
  expect((await boss('POST', '/api/security/roles/1/deactivate')).status).toBe(404)
  expect(await usersOf('clumsy')).toEqual([])
})

test('the first change of a caller creates the user record', async () => {
  const request = await host.as({
    subject: 'maker',
    name: 'Mary Maker',
    email: 'mary@example.com',
    roles: ['platform-admin'],
  })
  await json(await addRole(request))
  const [user] = await usersOf('maker')
  expect(user).toMatchObject({ email: 'mary@example.com', display_name: 'Mary Maker' })
  expect(await access(request)).toMatchObject({ userId: user?.id })
})

test('concurrent first changes of a caller create one user record, which is the author of all changes', async () => {
  const request = await host.as({ subject: 'twin', roles: ['platform-admin'] })
  const roles = await Promise.all(Array.from({ length: 8 }, async () => json<Role>(await addRole(request))))
  const users = await usersOf('twin')
  expect(users).toHaveLength(1)
  for (const role of roles) {
    expect(await host.eventsOf(role.id)).toMatchObject([{ actor_user_id: users[0]?.id }])
  }
})

test('a change stores the new name and e-mail address of its caller', async () => {
  const before = await host.as({ subject: 'bride', name: 'Ada Byron', roles: ['platform-admin'] })
  await json(await addRole(before))
  const after = await host.as({
    subject: 'bride',
    name: 'Ada King',
    email: 'ada@example.org',
    roles: ['platform-admin'],
  })
  expect(await access(after)).toMatchObject({ displayName: 'Ada King', email: 'ada@example.org' })
  expect(await usersOf('bride')).toMatchObject([{ display_name: 'Ada Byron' }])
  await json(await addRole(after))
  expect(await usersOf('bride')).toMatchObject([{ display_name: 'Ada King', email: 'ada@example.org' }])
})

test('a change with an unchanged profile does not update the user record', async () => {
  const request = await host.as({ subject: 'steady', roles: ['platform-admin'] })
  await json(await addRole(request))
  const updatedAt = async () => {
    const page = await json<UserPage>(await host.root('GET', '/api/security/users?limit=100'))
    return page.items.find((user) => user.subject === 'steady')?.updatedAtUtc
  }
  const before = await updatedAt()
  await json(await addRole(request))
  expect(await updatedAt()).toBe(before)
})

test('the author of a change comes from the token, even if the request names another author', async () => {
  const { id: victim } = await host.makeUser('victim')
  const request = await host.as({ subject: 'spoofer', permissions: ['system.roles.manage'] })
  const { userId } = await access(request)
  const response = await request('POST', '/api/security/roles', {
    body: {
      code: 'spoofed',
      name: 'Role',
      actorUserId: victim,
      by: { actor: { userId: victim } },
      id: victim,
    },
    headers: { 'X-User-Id': victim, 'X-Forwarded-User': 'victim', 'X-Actor': victim, 'X-Request-Id': 'mine' },
  })
  const role = await json<Role>(response)
  expect(role.id).not.toBe(victim)
  expect(await host.eventsOf(role.id)).toMatchObject([{ actor_user_id: userId, correlation_id: 'mine' }])
})

test('a failure to record a user is not kept: the next part of the request records them', async () => {
  let isBroken = true
  const database = {
    ...host.database,
    statement: (async (run) => {
      if (isBroken) throw new Error('The connection was lost.')
      return host.database.statement(run)
    }) as typeof host.database.statement,
  }
  const principal = {
    subject: 'recorded-later',
    email: null,
    displayName: 'Later',
    isAdministrator: false,
    expiresAtMs: Number.POSITIVE_INFINITY,
  }
  const record = recordOnce(database, principal)
  await expect(record()).rejects.toThrow('The connection was lost.')
  isBroken = false
  const userId = await record()
  expect(await usersOf('recorded-later')).toMatchObject([{ id: userId }])
  isBroken = true
  expect(await record()).toBe(userId)
})
