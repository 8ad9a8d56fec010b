import type { IdentityProvider } from '@vertical-kit/dev-services'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  authorizationRequest,
  createBrowser,
  redirectUri,
  requestToken,
  revokeToken,
  startForTest,
  startWithinTest,
  type Visit,
  verify,
} from './harness.ts'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startForTest()
  return () => provider.close()
})

const rightPassword = { username: 'clerk', password: 'demo' }

/** Returns the code from the redirect to the page. Checks the redirect URI. */
function codeOf({ url }: Visit, expectedRedirectUri = redirectUri): string {
  const { origin, pathname, searchParams } = new URL(url)
  expect(origin + pathname).toBe(expectedRedirectUri)
  expect(searchParams.get('state')).toBe('state-1')
  return searchParams.get('code') ?? ''
}

function codeGrant(code: string, verifier: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: 'demo-page',
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
}

interface Tokens {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token: string
}

async function tokensOf(response: Response): Promise<Tokens> {
  expect(response.status).toBe(200)
  return (await response.json()) as Tokens
}

test('sign-in with the form returns a code that the page can exchange for tokens', async () => {
  const browser = createBrowser(provider.issuer)
  const { url, verifier } = authorizationRequest(provider)
  const form = await browser.visit(url)
  const code = codeOf(await browser.visit(form.url, rightPassword))

  const tokens = await tokensOf(await requestToken(provider, codeGrant(code, verifier)))
  expect(await verify(provider, tokens.access_token)).toMatchObject({
    aud: 'vertical-kit',
    sub: 'clerk',
    email: 'clerk@example.org',
    name: 'Clara Clerk',
    roles: ['trade.clerk'],
  })
  expect(decodeJwt(tokens.id_token)).toMatchObject({
    aud: 'demo-page',
    sub: 'clerk',
    nonce: 'nonce-1',
    email: 'clerk@example.org',
    name: 'Clara Clerk',
    roles: ['trade.clerk'],
  })
})

test('a refresh token works once and returns an access token for the same audience', async () => {
  const browser = createBrowser(provider.issuer)
  const { url, verifier } = authorizationRequest(provider)
  const code = codeOf(await browser.visit((await browser.visit(url)).url, rightPassword))
  const { refresh_token } = await tokensOf(await requestToken(provider, codeGrant(code, verifier)))

  const refresh = { grant_type: 'refresh_token', client_id: 'demo-page', refresh_token }
  const renewed = await tokensOf(await requestToken(provider, refresh))
  expect(await verify(provider, renewed.access_token)).toMatchObject({ sub: 'clerk', roles: ['trade.clerk'] })
  expect((await requestToken(provider, refresh)).status).toBe(400)
})

test('a revoked refresh token is invalid, and another client cannot revoke it', async () => {
  const browser = createBrowser(provider.issuer)
  const { url, verifier } = authorizationRequest(provider)
  const code = codeOf(await browser.visit((await browser.visit(url)).url, rightPassword))
  const { refresh_token } = await tokensOf(await requestToken(provider, codeGrant(code, verifier)))

  const refresh = (token: string) => ({
    grant_type: 'refresh_token',
    client_id: 'demo-page',
    refresh_token: token,
  })
  expect((await revokeToken(provider, 'demo-cli', refresh_token)).status).toBe(200)
  const renewed = await tokensOf(await requestToken(provider, refresh(refresh_token)))
  expect((await revokeToken(provider, 'demo-page', renewed.refresh_token)).status).toBe(200)
  const again = await requestToken(provider, refresh(renewed.refresh_token))
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
})

test('a signed-in browser sees the form again only if the page requests it', async () => {
  const browser = createBrowser(provider.issuer)
  const { url } = authorizationRequest(provider)
  await browser.visit((await browser.visit(url)).url, rightPassword)

  codeOf(await browser.visit(authorizationRequest(provider).url))
  codeOf(await browser.visit(authorizationRequest(provider, { prompt: 'consent' }).url))
  const asked = await browser.visit(authorizationRequest(provider, { prompt: 'login' }).url)
  expect(asked.response.status).toBe(200)
  expect(new URL(asked.url).pathname).toMatch(/^\/sign-in\//)
})

describe('a code', () => {
  async function freshCode(): Promise<{ code: string; verifier: string }> {
    const browser = createBrowser(provider.issuer)
    const { url, verifier } = authorizationRequest(provider)
    return { code: codeOf(await browser.visit((await browser.visit(url)).url, rightPassword)), verifier }
  }

  test('is invalid without the verifier of its request', async () => {
    const { code } = await freshCode()
    const response = await requestToken(provider, codeGrant(code, 'a'.repeat(43)))
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
  })

  test('can be exchanged only once', async () => {
    const { code, verifier } = await freshCode()
    await tokensOf(await requestToken(provider, codeGrant(code, verifier)))
    const again = await requestToken(provider, codeGrant(code, verifier))
    expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
  })
})

describe('an authorization request', () => {
  test.each(['https://evil.example/demo/', 'http://127.0.0.1:8080/other/', 'http://127.0.0.1:9999/demo/'])(
    'shows an error page and does not redirect if the redirect URI is %s',
    async (foreign) => {
      const { url } = authorizationRequest(provider, { redirect_uri: foreign })
      const { response } = await createBrowser(provider.issuer).visit(url)
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
      expect(await response.text()).toContain('redirect_uri')
    },
  )

  test.each([
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
  ])('is rejected if it does not use PKCE with S256 (%j)', async (changes) => {
    const visit = await createBrowser(provider.issuer).visit(authorizationRequest(provider, changes).url)
    expect(new URL(visit.url).searchParams.get('error')).toBe('invalid_request')
    expect(new URL(visit.url).searchParams.get('code')).toBeNull()
  })

  test('is rejected if it requests another resource', async () => {
    const { url } = authorizationRequest(provider, { resource: 'urn:somebody:else' })
    const visit = await createBrowser(provider.issuer).visit(url)
    expect(new URL(visit.url).searchParams.get('error')).toBe('invalid_target')
  })

  test('can use any loopback port if the page is registered with `any`', async () => {
    const anyPort = await startWithinTest({
      pages: [{ clientId: 'demo-page', redirectUris: [redirectUri], loopbackPort: 'any' }],
    })
    const elsewhere = 'http://127.0.0.1:9999/demo/'
    const browser = createBrowser(anyPort.issuer)
    const form = await browser.visit(authorizationRequest(anyPort, { redirect_uri: elsewhere }).url)
    codeOf(await browser.visit(form.url, rightPassword), elsewhere)

    const foreign = await browser.visit(
      authorizationRequest(anyPort, { redirect_uri: 'http://evil.example/demo/' }).url,
    )
    expect(foreign.response.status).toBe(400)
  })
})
