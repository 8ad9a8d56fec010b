import type { IdentityProvider } from '@vertical-kit/dev-services'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { passwordGrant, requestToken, startForTest, startWithinTest, verify } from './harness.ts'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startForTest()
  return () => provider.close()
})

async function accessToken(response: Response): Promise<string> {
  expect(response.status).toBe(200)
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

test('discovery contains the endpoints of the issuer', async () => {
  const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`)
  expect(await response.json()).toMatchObject({
    issuer: provider.issuer,
    token_endpoint: `${provider.issuer}/token`,
    jwks_uri: `${provider.issuer}/jwks`,
    authorization_endpoint: `${provider.issuer}/auth`,
    code_challenge_methods_supported: ['S256'],
  })
})

test('the published keys contain no private part', async () => {
  const { keys } = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: object[] }
  expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']])
})

test('the password grant returns a signed access token with the claims of the user', async () => {
  const token = await accessToken(await requestToken(provider, passwordGrant('clerk', 'demo')))
  expect(decodeProtectedHeader(token)).toMatchObject({
    alg: 'RS256',
    typ: 'at+jwt',
    kid: provider.signingKey.kid,
  })
  expect(await verify(provider, token)).toMatchObject({
    iss: provider.issuer,
    aud: 'vertical-kit',
    sub: 'clerk',
    email: 'clerk@example.org',
    name: 'Clara Clerk',
    roles: ['trade.clerk'],
    client_id: 'demo-cli',
  })
})

test('the token of a user without roles has an empty roles claim', async () => {
  const token = await accessToken(await requestToken(provider, passwordGrant('outsider', 'demo')))
  expect(await verify(provider, token)).toMatchObject({ sub: 'outsider', roles: [] })
})

test.each([
  ['a wrong password', passwordGrant('clerk', 'wrong'), 'invalid_grant'],
  ['an unknown user', passwordGrant('nobody', 'demo'), 'invalid_grant'],
  ['a user name that equals an inherited property', passwordGrant('constructor', 'demo'), 'invalid_grant'],
  ['no password', { grant_type: 'password', client_id: 'demo-cli', username: 'clerk' }, 'invalid_request'],
  ['a page client', { ...passwordGrant('clerk', 'demo'), client_id: 'demo-page' }, 'invalid_request'],
])('the password grant rejects %s', async (_case, parameters, error) => {
  const response = await requestToken(provider, parameters)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error })
})

test('the password grant rejects an unknown client', async () => {
  const response = await requestToken(provider, { ...passwordGrant('clerk', 'demo'), client_id: 'stranger' })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_client' })
})

test('a token expires exactly after the configured lifetime', async () => {
  const shortLived = await startWithinTest({ accessTokenLifetimeSeconds: 5 })
  const token = await accessToken(await requestToken(shortLived, passwordGrant('clerk', 'demo')))
  const { iat = 0, exp = 0 } = decodeJwt(token)
  expect(exp - iat).toBe(5)
  const at = (seconds: number) => ({ currentDate: new Date(seconds * 1000) })
  expect(await verify(shortLived, token, at(exp - 1))).toMatchObject({ sub: 'clerk' })
  await expect(verify(shortLived, token, at(exp))).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})

test('users can be added while the provider runs', async () => {
  const users: Record<string, { password: string; email: string; displayName: string; roles: string[] }> = {}
  const growing = await startWithinTest({ users })
  expect((await requestToken(growing, passwordGrant('late', 'demo'))).status).toBe(400)
  users['late'] = { password: 'demo', email: 'late@example.org', displayName: 'Late', roles: [] }
  expect((await requestToken(growing, passwordGrant('late', 'demo'))).status).toBe(200)
})
