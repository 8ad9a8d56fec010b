import { createSigningKey, type IdentityProvider, signTestToken } from '@vertical-kit/dev-services'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { startForTest, verify } from './harness.ts'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startForTest()
  return () => provider.close()
})

test('a default test token verifies like a token of the provider', async () => {
  const token = await signTestToken(provider, { claims: { sub: 'someone', roles: ['trade.clerk'] } })
  expect(await verify(provider, token)).toMatchObject({ sub: 'someone', roles: ['trade.clerk'] })
})

test.each([
  ['exp', { exp: 1 }, 'ERR_JWT_EXPIRED'],
  ['aud', { aud: 'another-api' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['iss', { iss: 'http://127.0.0.1:1' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['sub', { sub: undefined }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['nbf', { nbf: 4_102_444_800 }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
])('a token is rejected if only its claim %s is wrong', async (claim, claims, code) => {
  const token = await signTestToken(provider, { claims })
  await expect(verify(provider, token)).rejects.toMatchObject({ code, claim })
})

test('a token signed with an unknown key is rejected with the kid of that key and with the kid of the provider', async () => {
  const signature = await createSigningKey()
  const unknown = await signTestToken(provider, { signature })
  await expect(verify(provider, unknown)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  const forged = await signTestToken(provider, { signature, header: { kid: provider.signingKey.kid } })
  await expect(verify(provider, forged)).rejects.toMatchObject({
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  })
})

test('an unsigned token has alg none and is rejected', async () => {
  const token = await signTestToken(provider, { signature: 'none' })
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'none' })
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.$/)
  await expect(verify(provider, token)).rejects.toMatchObject({ code: 'ERR_JOSE_ALG_NOT_ALLOWED' })
})

test('a token signed with the public key as secret has alg HS256 and is rejected', async () => {
  const token = await signTestToken(provider, { signature: 'public-key-as-secret' })
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'HS256' })
  await expect(verify(provider, token)).rejects.toMatchObject({ code: 'ERR_JOSE_ALG_NOT_ALLOWED' })
})

test('a test token can have another type, and such a token is rejected', async () => {
  const token = await signTestToken(provider, { header: { typ: 'JWT' } })
  await expect(verify(provider, token)).rejects.toMatchObject({ claim: 'typ' })
})
