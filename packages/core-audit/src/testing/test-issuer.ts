import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OidcConfig } from '../identity/config.ts'

/** The claims of a test token. */
export interface TestTokenClaims {
  readonly subject: string
  readonly name?: string
  readonly email?: string
  /** Roles of the identity provider, such as `platform-admin`. */
  readonly roles?: readonly string[]
  readonly expiresAtMs?: number
  /** By default, the audience of {@link TestIssuer.oidc}. */
  readonly audience?: string
}

/** An issuer of real, signed access tokens. It publishes its keys over HTTP and has no sign-in. */
export interface TestIssuer {
  readonly oidc: OidcConfig
  token(claims: TestTokenClaims): Promise<string>
  close(): Promise<void>
}

/** Serves discovery metadata and keys on a free port of 127.0.0.1. */
export async function startTestIssuer(): Promise<TestIssuer> {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose')
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'test' }
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(
      request.url === '/keys'
        ? JSON.stringify({ keys: [key] })
        : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const audience = 'vertical-kit-tests'
  return {
    oidc: {
      ...{ issuer, audience, rolesClaim: 'roles', administratorRole: 'platform-admin' },
      ...{ roleMap: new Map(), furtherIssuers: new Map() },
    },
    token: (claims) =>
      new SignJWT({
        name: claims.name ?? claims.subject,
        email: claims.email ?? `${claims.subject}@example.com`,
        roles: claims.roles ?? [],
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .setIssuer(issuer)
        .setAudience(claims.audience ?? audience)
        .setSubject(claims.subject)
        .setIssuedAt()
        .setExpirationTime(Math.floor((claims.expiresAtMs ?? Date.now() + 3_600_000) / 1000))
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
