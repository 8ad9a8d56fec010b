import { hash } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { CoreError } from '../errors.ts'
import { codePointCount, isStorable } from '../http/contract.ts'
import type { OidcConfig } from './config.ts'
import { userLimits } from './contract.ts'
import type { IssuerKeys } from './issuer-keys.ts'

/** What a verified access token says of its bearer. What it does not say is `null`. */
export interface VerifiedToken {
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  /** Of the identity provider. */
  readonly roles: readonly string[]
  readonly expiresAtMs: number
}

/** Checks an access token. Rejects with `auth.required` when it does not verify. */
export type TokenVerifier = (token: string) => Promise<VerifiedToken>

/** Signatures only: a symmetric algorithm would let anyone who can verify also sign, and `none` is no signature. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/**
 * What the header's `typ` may be, in the form RFC 7515 §4.1.9 compares: of RFC 9068, of most issuers, absent. Tokens
 * of other kinds (logout, security events, DPoP proofs) are signed with the same keys, and mean something else.
 */
const types = new Set<string | undefined>([
  'at+jwt',
  'application/at+jwt',
  'jwt',
  'application/jwt',
  undefined,
])

/** Tokens remembered at most; a JWT's claims take about 1 KB. */
const defaultRememberedMax = 10_000

/** For a token that is early: RFC 7519 §4.1.5 allows "some small leeway" for clocks that differ. Expiry has none. */
const notBeforeLeewaySeconds = 5

export interface TokenVerifierOptions {
  readonly oidc: OidcConfig
  readonly keys: IssuerKeys
  readonly now: () => number
  /** How many verified tokens are remembered; 10,000 when absent. */
  readonly rememberedMax?: number
}

interface Remembered {
  readonly token: VerifiedToken
  /** Of the issuer's keys when the token was verified. */
  readonly generation: number
}

/**
 * Verifies access tokens (JWT, RFC 7519) against the issuer's published keys: issuer, audience, expiry and an
 * allow-list of algorithms. A verified token is remembered by its hash until it expires or the issuer's keys change,
 * because verifying costs more than most requests; what its bearer may do is not remembered here. A token that does
 * not verify is forgotten at once: remembering those would let anybody push out the others.
 *
 * @throws {CoreError} auth.required · service.unavailable when the issuer's keys cannot be had
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { keys, now, rememberedMax = defaultRememberedMax } = options
  const remembered = new Map<string, Remembered>()

  return async (token) => {
    const digest = hash('sha256', token, 'base64url')
    const known = remembered.get(digest)
    if (known !== undefined) {
      keys.keepFresh()
      if (known.generation === keys.generation && known.token.expiresAtMs > now()) return known.token
      remembered.delete(digest)
    }
    // Asked before: if the keys change meanwhile, which of them it was verified with is not known.
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
      algorithms,
      clockTolerance: notBeforeLeewaySeconds,
      currentDate: new Date(now()),
      requiredClaims: ['sub', 'exp'],
    })
    if (!types.has(protectedHeader.typ?.toLowerCase())) throw new errors.JWTInvalid('not an access token')
    const verified = readClaims(payload, oidc.rolesClaim)
    // Compared here once more: the leeway above is for tokens that are early, and jose has one for both ends.
    if (verified.expiresAtMs <= now()) throw new errors.JWTExpired('expired', payload, 'exp')
    return verified
  } catch (cause) {
    // All that jose refuses is wrong with the token. That keys cannot be had is said by `keys`, and passes: a 401
    // would sign everybody out.
    if (cause instanceof errors.JOSEError) {
      throw new CoreError('auth.required', { detail: 'The access token is not valid.', cause })
    }
    throw cause
  }
}

function readClaims(claims: JWTPayload, rolesClaim: string): VerifiedToken {
  const email = text(claims['email'], userLimits.emailMaxChars)
  return {
    subject: subjectOf(claims),
    email,
    displayName: nameOf(claims) ?? email,
    roles: rolesIn(claimAt(claims, rolesClaim)),
    expiresAtMs: (claims.exp ?? 0) * 1000,
  }
}

/**
 * The claim with this name, or at this path of names joined by dots: `realm_access.roles`. The name comes first, because
 * names may contain dots: `https://example.com/roles`.
 */
function claimAt(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path.split('.').reduce<unknown>(ownProperty, claims)
}

const ownProperty = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

/** A list of roles, or one role. */
const rolesIn = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((role) => typeof role === 'string')

const nameOf = (claims: JWTPayload): string | null =>
  text(claims['name'], userLimits.displayNameMaxChars) ??
  text(claims['preferred_username'], userLimits.displayNameMaxChars)

/** Taken as it is: two subjects that differ in white space alone are two people. */
function subjectOf(claims: JWTPayload): string {
  const subject: unknown = claims.sub
  if (
    typeof subject !== 'string' ||
    subject.trim() === '' ||
    !isStorable(subject) ||
    codePointCount(subject) > userLimits.subjectMaxChars
  ) {
    throw new errors.JWTClaimValidationFailed('the subject cannot be used', claims, 'sub')
  }
  return subject
}

/** Claims come from outside: what cannot be stored or shown counts as absent. */
function text(claim: unknown, maxChars: number): string | null {
  if (typeof claim !== 'string' || !isStorable(claim)) return null
  const trimmed = claim.trim()
  return trimmed === '' || codePointCount(trimmed) > maxChars ? null : trimmed
}

/** Several at once, in order of arrival: the map never thinks about it again for a while. */
function forgetOldest(remembered: Map<string, Remembered>, count: number): void {
  for (const hash of [...remembered.keys()].slice(0, count)) remembered.delete(hash)
}
