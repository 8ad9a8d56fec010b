import type { MeAccess, User } from '@vertical-kit/core-audit/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, useSecurityHost } from './harness.ts'
import { createSigningKey, type ScriptedIssuer, startScriptedIssuer } from './scripted-issuer.ts'
import { tokenHost } from './token-hosts.ts'

const host = useSecurityHost()
const key = await createSigningKey('key')
let issuer: ScriptedIssuer
let request: ReturnType<typeof tokenHost>['request']

beforeAll(async () => {
  issuer = await startScriptedIssuer(key)
  await host.makeRole('maker', ['system.roles.manage'])
  request = tokenHost(host, { ...issuer.oidc, roleMap: new Map([['makers', 'maker']]) }).request
})
afterAll(() => issuer.stop())

/** Returns a token of a person with these claims. */
const tokenOf = (sub: string, claims: object) =>
  key.sign({
    ...{ iss: issuer.oidc.issuer, aud: issuer.oidc.audience, roles: ['makers'] },
    ...{ sub, exp: Math.floor(Date.now() / 1000) + 600 },
    ...claims,
  })

/** Adds a role, so that the record of the user is written, and returns the user. */
async function changedBy(sub: string, claims: object) {
  const token = await tokenOf(sub, claims)
  const body = JSON.stringify({ code: `made.by.${sub}`, name: sub })
  await json(await request(token, '/api/security/roles', { method: 'POST', body }))
  const { userId } = await json<MeAccess>(await request(token))
  return json<User>(await host.root('GET', `/api/security/users/${userId}`))
}

const invite = async (subject: string) =>
  json<User>(
    await host.root('POST', '/api/security/users', {
      body: { subject, email: 'old@example.com', displayName: 'Ada Lovelace', roleIds: [] },
    }),
  )

test('a token without a name does not replace the stored name by its e-mail address', async () => {
  const { id } = await invite('ada')
  expect(await changedBy('ada', { email: 'ada@example.com' })).toMatchObject({
    id,
    displayName: 'Ada Lovelace',
    email: 'ada@example.com',
  })
})

test('a token without an e-mail address does not remove the stored one', async () => {
  const { id } = await invite('grace')
  expect(await changedBy('grace', { name: 'Grace' })).toMatchObject({
    id,
    displayName: 'Grace',
    email: 'old@example.com',
  })
})

test.each([
  ['the e-mail address', 'with-address', { email: 'eve@example.com' }, 'eve@example.com'],
  ['the subject', 'without-address', {}, 'without-address'],
])('an unknown user whose token contains no name is called by %s', async (_, sub, claims, displayName) => {
  expect(await changedBy(sub, claims)).toMatchObject({ displayName })
})
