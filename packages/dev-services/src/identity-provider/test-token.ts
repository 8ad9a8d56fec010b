import { createPublicKey } from 'node:crypto'
import { base64url, SignJWT } from 'jose'
import type { SigningKey } from './signing-key.ts'
import type { IdentityProvider } from './start-identity-provider.ts'

/** In what a token differs from one of the provider's. */
export interface TestToken {
  /** Over `iss`, `aud`, `sub` ("test-user"), `iat` (now) and `exp` (in an hour); `undefined` leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Over `alg`, `kid` and `typ` (`at+jwt`). */
  readonly header?: Readonly<Record<string, unknown>>
  /**
   * Another key, no signature at all (`alg` `none`), or HS256 with the public key as its secret: the confusion
   * of algorithms that RFC 8725 §2.1 warns of. Default: the provider's key.
   */
  readonly signature?: SigningKey | 'none' | 'public-key-as-secret'
}

/** Makes a token that a test needs and the provider would not issue: expired, misdirected or forged. */
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
