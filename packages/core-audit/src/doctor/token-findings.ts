import { decodeJwt, errors, type JWTPayload } from 'jose'
import { isKitError } from '../errors.ts'
import type { OidcIssuer } from '../identity/config.ts'
import { createIssuerKeys } from '../identity/issuer-keys.ts'
import { rolesIn } from '../identity/token-claims.ts'
import { createTokenVerifier } from '../identity/verify-token.ts'
import { type Finding, failed, ok, warning } from './check.ts'
import { failureCode } from './failure-code.ts'

export interface TokenToExamine {
  readonly oidc: OidcIssuer
  readonly token: string
  readonly now: () => number
}

/** Verifies a token like a host, but with the clock of this machine, and explains why a host rejects it. */
export async function tokenFinding({ oidc, token, now }: TokenToExamine): Promise<Finding> {
  const keys = createIssuerKeys({ issuer: oidc.issuer, now })
  try {
    await createTokenVerifier({ oidc, keys, now })(token)
    return ok('A host accepts the token.')
  } catch (error) {
    return explain(error instanceof Error && error.cause instanceof errors.JOSEError ? error.cause : error)
  }
}

/** The explanations by the claim that jose rejects. */
const ofClaims: Readonly<Record<string, Finding>> = {
  aud: failed(
    'The token is for another audience.',
    'Set Oidc__Audience to a value of "aud" in the token, or add the audience at the identity provider.',
  ),
  iss: failed(
    'The token is from another issuer.',
    'Set Oidc__Issuer to the exact value of "iss" in the token.',
  ),
  nbf: failed(
    'The token is not valid yet.',
    'Synchronize the clocks; Oidc__Issuer is ahead of this machine.',
  ),
  sub: failed('The token has no usable "sub".', 'Add a stable subject to the access tokens of Oidc__Issuer.'),
  exp: failed('The token has no expiry.', 'Add "exp" to the access tokens of Oidc__Issuer.'),
}

function explain(error: unknown): Finding {
  if (error instanceof errors.JWTExpired) {
    return failed('The token has expired.', 'Use a new token of Oidc__Issuer, and compare the clocks.')
  }
  const known = error instanceof errors.JWTClaimValidationFailed ? ofClaims[error.claim] : undefined
  if (known !== undefined) return known
  const code = failureCode(isKitError(error) ? (error.cause ?? error) : error)
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed) {
    return failed(
      `No key of the issuer verifies the signature (${code}).`,
      'Set Oidc__Issuer to the issuer of the token.',
    )
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return failed(
      'The token is signed with an algorithm that is not accepted.',
      'Let Oidc__Issuer sign access tokens with RS256, PS256, ES256 or EdDSA.',
    )
  }
  if (error instanceof errors.JOSEError) {
    return failed(
      `The token is no signed access token (${code}).`,
      'Use an access token in JWT format of Oidc__Issuer, not an ID token, a refresh token or an opaque token.',
    )
  }
  // Our own messages explain the cause, for example that the token has a link instead of the groups, or a key is too short.
  if (isKitError(error)) {
    const advice = 'Correct the tokens or the keys at Oidc__Issuer; see identity.discovery.'
    return failed(error.cause === undefined ? error.detail : `${error.detail} (${code})`, advice)
  }
  return failed(`The token cannot be verified (${code}).`, 'Correct Oidc__Issuer; see identity.discovery.')
}

/** Finds the roles of a token, also if the configured claim has none. The names of the roles are not shown. */
export function rolesFinding({ rolesClaim, administratorRole }: OidcIssuer, token: string): Finding {
  let claims: JWTPayload
  let roles: readonly string[]
  try {
    claims = decodeJwt(token)
    roles = rolesIn(claims, rolesClaim)
  } catch (error) {
    // The message explains that the token has a link instead of the groups.
    if (isKitError(error)) return failed(error.message, 'Change the claims of the tokens at Oidc__Issuer.')
    return failed('The token cannot be decoded.', 'Use an access token in JWT format of Oidc__Issuer.')
  }
  if (roles.length > 0) {
    const isAdministrator = administratorRole !== null && roles.includes(administratorRole)
    const administrator = isAdministrator ? ', with the administrator role' : ''
    return ok(`Roles at Oidc__RolesClaim: ${roles.length}${administrator}.`)
  }
  const paths = rolePaths(claims)
  const change =
    paths.length === 0
      ? 'Add the roles to the access tokens of the identity provider, or set Oidc__RolesClaim to their claim.'
      : `Set Oidc__RolesClaim to one of: ${paths.join(', ')}.`
  return warning('The token has no roles at Oidc__RolesClaim, so it grants no administrator role.', change)
}

/** The depth of real claims: `resource_access.<client>.roles`. */
const maxDepth = 3

/** Returns the paths of the claims that look like roles: lists of strings, or strings with a telling name. */
function rolePaths(claims: object, prefix = '', depth = 1): readonly string[] {
  return Object.entries(claims).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`
    if (name === 'aud' || name === 'amr') return []
    if (Array.isArray(value)) return value.some((item) => typeof item === 'string') ? [path] : []
    if (typeof value === 'string') return /role|group|authorit/i.test(name) ? [path] : []
    if (typeof value !== 'object' || value === null || depth === maxDepth) return []
    return rolePaths(value, `${path}.`, depth + 1)
  })
}
