import { createPublicKey } from 'node:crypto'
import { base64url, SignJWT } from 'jose'
import type { SigningKey } from './signing-key.ts'
import type { IdentityProvider } from './start-identity-provider.ts'

/** The differences between a test token and a token that the provider issues. */
export interface TestToken {
  /** Overrides defaults: the provider's `iss` and `aud`, `sub` "test-user", `exp` in an hour. `undefined` omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Overrides `alg`, `kid` and `typ` (default: `at+jwt`). */
  readonly header?: Readonly<Record<string, unknown>>
  /**
   * Another key, `none` for an unsigned token, or `public-key-as-secret` for HS256 with the public key as the secret (the
   * algorithm confusion of RFC 8725 §2.1). Default: the provider's key.
   */
  readonly signature?: SigningKey | 'none' | 'public-key-as-secret'
}

/** Creates a token that the provider would not issue, such as an expired or forged token. For tests. */
export async function signTestToken(
  provider: Pick<IdentityProvider, 'issuer' | 'audience' | 'signingKey'>,
  { claims, header, signature = provider.signingKey }: TestToken = {},
): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const payload = {
    iss: provider.issuer,
    aud: provider.audience,
    sub: 'test-user',
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    ...claims,
  }
  const ownHeader = { typ: 'at+jwt', kid: provider.signingKey.kid }
  if (signature === 'none') {
    const parts = [{ ...ownHeader, alg: 'none', ...header }, payload]
    return `${parts.map((part) => base64url.encode(JSON.stringify(part))).join('.')}.`
  }
  const token = new SignJWT(payload)
  if (signature === 'public-key-as-secret') {
    const publicKey = createPublicKey(provider.signingKey.privateKey)
    token.setProtectedHeader({ ...ownHeader, alg: 'HS256', ...header })
    return token.sign(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })))
  }
  token.setProtectedHeader({ ...ownHeader, alg: 'RS256', kid: signature.kid, ...header })
  return token.sign(signature.privateKey)
}
