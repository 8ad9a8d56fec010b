import { hash } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { CoreError, isKitError } from '../errors.ts'
import type { OidcIssuer } from './config.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { readClaims, type VerifiedToken } from './token-claims.ts'

/** Checks an access token. Rejects with `auth.required` when it is not valid. */
export type TokenVerifier = (token: string) => Promise<VerifiedToken>

/** Asymmetric algorithms only: with a symmetric algorithm, every verifier can also sign, and `none` means no signature. */
export const algorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/**
 * Accepted values of the header's `typ`, normalized as in RFC 7515 §4.1.9: the value of RFC 9068, the value of most
 * issuers, or no value. Tokens of other kinds (logout, security events, DPoP proofs) use these keys for other purposes.
 */
const types = new Set<unknown>(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt', undefined])

/** Maximum number of remembered tokens; the claims of a JWT take about 1 KB. */
const defaultRememberedMax = 10_000

/**
 * Applies to `nbf` only: RFC 7519 §4.1.5 allows "some small leeway" for clocks that differ. The check of `exp` has none.
 */
const notBeforeLeewaySeconds = 5

export interface TokenVerifierOptions {
  readonly oidc: OidcIssuer
  readonly keys: IssuerKeys
  readonly now: () => number
  /** Maximum number of remembered tokens; 10,000 when absent. */
  readonly rememberedMax?: number
}

interface Remembered {
  readonly token: VerifiedToken
  /** Generation of the issuer's keys when the token was verified. */
  readonly generation: number
}

/**
 * Verifies access tokens (JWT, RFC 7519) against the issuer's published keys: issuer, audience, expiry and an allow-list of
 * algorithms. A valid token is remembered by its hash until it expires or the issuer's keys change, because verification
 * costs more than most requests. The rights of the user are not remembered. Invalid tokens are not remembered either:
 * otherwise an attacker could push the valid tokens out.
 *
 * @throws {CoreError} auth.required · service.unavailable when the issuer's keys cannot be fetched
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { keys, now, rememberedMax = defaultRememberedMax } = options
  const remembered = new Map<string, Remembered>()

  return async (token) => {
    const digest = hash('sha256', token, 'base64url')
    const known = remembered.get(digest)
    if (known !== undefined) {
      const refreshed = keys.keepFresh()
      // The keys of a host that was idle can be hours old. Without a fetch, nothing is awaited: that would cost each request a turn.
      if (refreshed !== undefined) await refreshed
      if (known.generation === keys.generation && known.token.expiresAtMs > now()) return known.token
      remembered.delete(digest)
    }
    // Read the generation before verifying: if the keys change during the verification, the token counts as verified with
    // the old keys.
    const { generation } = keys
    const verified = await verify(token, options)
    if (remembered.size >= rememberedMax) forgetOldest(remembered, Math.ceil(rememberedMax / 10))
    remembered.set(digest, { token: verified, generation })
    return verified
  }
}

async function verify(token: string, { oidc, now, keys }: TokenVerifierOptions): Promise<VerifiedToken> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      issuer: oidc.issuer,
      audience: oidc.audience,
      algorithms: [...algorithms],
      clockTolerance: notBeforeLeewaySeconds,
      currentDate: new Date(now()),
      requiredClaims: ['sub', 'exp'],
    })
    // jose declares `typ` as text, but does not check it.
    const typ: unknown = protectedHeader.typ
    if (!types.has(typeof typ === 'string' ? typ.toLowerCase() : typ))
      throw new errors.JWTInvalid('not an access token')
    const verified = readClaims(payload, oidc.rolesClaim)
    // jose applies `clockTolerance` to both `nbf` and `exp`; we allow it for `nbf` only, so check `exp` again.
    if (verified.expiresAtMs <= now()) throw new errors.JWTExpired('expired', payload, 'exp')
    return verified
  } catch (cause) {
    // Every error of jose is a fault of the token. If the keys cannot be fetched, `keys` throws another error. That failure
    // is temporary, and a 401 would sign out all users.
    if (cause instanceof errors.JOSEError) {
      throw new CoreError('auth.required', { detail: 'The access token is not valid.', cause })
    }
    if (isKitError(cause)) throw cause
    // The key that the token names cannot be used: for example, an RSA key below 2048 bits.
    throw new CoreError('service.unavailable', {
      detail: 'The identity provider publishes a key that cannot be used.',
      cause,
    })
  }
}

/** Removes several of the oldest tokens together, so that removal is rare. */
function forgetOldest(remembered: Map<string, Remembered>, count: number): void {
  for (const hash of [...remembered.keys()].slice(0, count)) remembered.delete(hash)
}
