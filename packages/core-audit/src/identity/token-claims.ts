import { decodeJwt, errors, type JWTPayload } from 'jose'
import * as v from 'valibot'
import { CoreError } from '../errors.ts'
import {
  codePointCount,
  isStorable,
  isVisibleName,
  OneLineText,
  withoutDirectionControls,
} from '../http/contract.ts'
import { userLimits } from './contract.ts'

/** The claims of a verified access token. Absent claims are `null`. */
export interface VerifiedToken {
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  /** The first name of an unknown user whose token contains no name: the e-mail address, or the name of the client. */
  readonly defaultName: string | null
  /** The roles or groups that the identity provider assigned. */
  readonly roles: readonly string[]
  readonly expiresAtMs: number
}

/**
 * Reads the claims of a verified access token.
 * @throws {CoreError} auth.required if the token contains a link instead of the roles
 * @throws {JOSEError} if the subject cannot be used
 */
export function readClaims(claims: JWTPayload, rolesClaim: string): VerifiedToken {
  const email = text(claims['email'], userLimits.emailMaxChars)
  const client = serviceClient(claims)
  return {
    subject: subjectOf(claims),
    email,
    displayName: client === null ? nameOf(claims) : profileName(claims),
    defaultName: client === null ? email : `service-account-${client}`,
    roles: rolesIn(claims, rolesClaim),
    expiresAtMs: (claims.exp ?? 0) * 1000,
  }
}

/**
 * Returns the roles of a claim that contains a list of roles or one role.
 * @throws {CoreError} auth.required if the token contains a link instead of the roles
 */
export function rolesIn(claims: JWTPayload, rolesClaim: string): readonly string[] {
  const claim = claimAt(claims, rolesClaim)
  if (claim === undefined && isOverage(claims, rolesClaim)) {
    const detail =
      'The access token does not list the groups of the user, because there are too many. ' +
      'Configure the identity provider to send app roles, or only the groups that are assigned to the application.'
    throw new CoreError('auth.required', { detail })
  }
  return (Array.isArray(claim) ? claim : [claim]).filter((role) => typeof role === 'string')
}

/**
 * Returns the claim at this path of names joined by dots: `realm_access.roles`. Names can contain dots
 * (`https://example.com/roles`), so the longest name that exists is used at each step.
 */
function claimAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, path)) return Reflect.get(value, path)
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end)
    if (Object.hasOwn(value, name)) return claimAt(Reflect.get(value, name), path.slice(end + 1))
  }
  return undefined
}

/**
 * Checks whether the claim is replaced by a link: a distributed claim of OpenID Connect Core 1.0 §5.6.2, which Entra ID
 * sends for users in more than 200 groups, or its marker `hasgroups`. We do not follow such links: they lead to another
 * service with its own permissions. Without this check, the user would silently lose all rights.
 */
function isOverage(claims: JWTPayload, rolesClaim: string): boolean {
  const links = claims['_claim_names']
  const name = rolesClaim.split('.', 1).join('')
  const isLinked =
    typeof links === 'object' && links !== null && [rolesClaim, name].some((key) => Object.hasOwn(links, key))
  return isLinked || (rolesClaim === 'groups' && claims['hasgroups'] !== undefined)
}

/**
 * Returns the client if the token belongs to the client itself (a service account), or `null` if it belongs to a person.
 * Client ids are in `client_id` (RFC 9068 §2.2), `azp` (Keycloak, Entra ID, Auth0), `appid` (Entra ID) or `cid` (Okta).
 * The result decides only about names.
 */
function serviceClient(claims: JWTPayload): string | null {
  const ids = ['client_id', 'azp', 'appid', 'cid'].map((name) => text(claims[name], clientMaxChars))
  const client = ids.find((id) => id !== null) ?? null
  const isOwn =
    client !== null &&
    // RFC 9068 §2.2 and Okta · Auth0 · Entra ID with the optional claim `idtyp` · Keycloak
    (claims.sub === client ||
      claims.sub === `${client}@clients` ||
      claims['idtyp'] === 'app' ||
      claims['preferred_username'] === `service-account-${client.toLowerCase()}`)
  return isOwn ? client : null
}

/** Leaves room for the prefix of a service account's name. */
const clientMaxChars = userLimits.displayNameMaxChars - 20

const profileName = (claims: JWTPayload) => text(claims['name'], userLimits.displayNameMaxChars)

const nameOf = (claims: JWTPayload): string | null =>
  profileName(claims) ?? text(claims['preferred_username'], userLimits.displayNameMaxChars)

/** Returns the subject unchanged: subjects that differ only in white space are different people. */
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

/** Returns the trimmed text of a claim. Claims come from outside: values that cannot be stored or shown count as absent. */
function text(claim: unknown, maxChars: number): string | null {
  // Directories store such characters with names that users have pasted.
  const shown = typeof claim === 'string' ? withoutDirectionControls(claim) : claim
  const line = v.safeParse(OneLineText, shown)
  if (!line.success) return null
  return !isVisibleName(line.output) || codePointCount(line.output) > maxChars ? null : line.output
}

/** Returns the issuer that a token claims, without verifying it; an empty text if the token cannot be decoded. */
export function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (cause) {
    if (cause instanceof errors.JOSEError) return ''
    throw cause
  }
}
