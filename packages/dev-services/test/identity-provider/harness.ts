import { createHash, randomBytes } from 'node:crypto'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from '@vertical-kit/dev-services'
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { onTestFinished } from 'vitest'

export const redirectUri = 'http://127.0.0.1:8080/demo/'

export const users = {
  clerk: { password: 'demo', email: 'clerk@example.org', displayName: 'Clara Clerk', roles: ['trade.clerk'] },
  outsider: { password: 'demo', email: 'outsider@example.org', displayName: 'Otto Outsider', roles: [] },
}

export function startForTest(options: Partial<IdentityProviderOptions> = {}): Promise<IdentityProvider> {
  return startIdentityProvider({
    audience: 'vertical-kit',
    users,
    pages: [{ clientId: 'demo-page', redirectUris: [redirectUri] }],
    scriptClientIds: ['demo-cli'],
    ...options,
  })
}

/** Starts a provider and closes it after the test. */
export async function startWithinTest(
  options: Partial<IdentityProviderOptions> = {},
): Promise<IdentityProvider> {
  const provider = await startForTest(options)
  onTestFinished(() => provider.close())
  return provider
}

/** Verifies a token like an API does: with the keys of the issuer and all required claims. */
export async function verify(
  { issuer }: IdentityProvider,
  token: string,
  options: JWTVerifyOptions = {},
): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: 'vertical-kit',
    algorithms: ['RS256'],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'exp'],
    ...options,
  })
  return payload
}

export function requestToken(
  { issuer }: IdentityProvider,
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(parameters), headers })
}

/** Revokes a token (RFC 7009). The response does not depend on the result. */
export function revokeToken(
  { issuer }: IdentityProvider,
  clientId: string,
  token: string,
): Promise<Response> {
  return fetch(`${issuer}/token/revocation`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, token }),
  })
}

export function passwordGrant(username: string, password: string): Record<string, string> {
  return { grant_type: 'password', client_id: 'demo-cli', username, password }
}

/** Creates a PKCE pair and the matching authorization request of the demo page. */
export function authorizationRequest(
  { issuer }: IdentityProvider,
  changes: Record<string, string | undefined> = {},
): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    client_id: 'demo-page',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  const url = new URL(`${issuer}/auth`)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return { url: url.href, verifier }
}

export interface Visit {
  readonly url: string
  readonly response: Response
}

/** A minimal browser for sign-in. It stores cookies and follows redirects within one origin. */
export function createBrowser(issuer: string) {
  const cookies = new Map<string, string>()

  async function visit(url: string, form?: Record<string, string>): Promise<Visit> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return { url, response }
    const next = new URL(location, url)
    return next.origin === issuer ? visit(next.href) : { url: next.href, response }
  }

  return { visit, forgetCookies: () => cookies.clear() }
}
