import type { Context } from 'hono'
import type { DoctorCheck } from '../doctor/check.ts'
import { CoreError, isKitError } from '../errors.ts'
import type { HealthCheck } from '../host/health.ts'
import type { KitEnv } from '../http/kit-env.ts'

/** The user that a request's credentials identify. A `null` value does not change the user's record. */
export interface Principal {
  /** The subject is stable and opaque: subjects that differ only in white space are different people. */
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  /** The name of the user if neither the credentials nor the record contain one; the subject when absent. */
  readonly defaultName?: string
  /** Whether the credentials themselves grant everything, with or without a user record. */
  readonly isAdministrator: boolean
  /**
   * Codes of roles that the credentials grant in addition to the assigned roles. They are never stored. A code without an
   * active role grants nothing.
   */
  readonly roleCodes?: readonly string[]
  /**
   * The time at which the credentials expire, in milliseconds since 1970, by the database's clock. Sockets end then.
   * `Infinity` means never.
   */
  readonly expiresAtMs: number
}

/**
 * Authenticates requests. {@link oidcTokens} verifies OpenID Connect access tokens. To support a cookie session or a
 * gateway's header, implement `read` to extract the value and `verify` to look it up.
 */
export interface Tokens {
  /** Returns the token of a request, or `undefined` if it has none. By default, reads `Authorization: Bearer`. */
  read?(c: Context<KitEnv>): string | undefined
  /**
   * Returns the user that the token identifies.
   * @throws {CoreError} auth.required for a token that is not valid · service.unavailable
   */
  verify(token: string): Promise<Principal>
  /** Health checks of the service that verifies the tokens. */
  readonly health?: readonly HealthCheck[]
  /** Loads the checks of that service for `runDoctorCommand`. */
  doctor?(): Promise<readonly DoctorCheck[]>
}

/**
 * Returns the user of a request. The challenge of a rejected bearer token has the error code of RFC 6750 §3.1, so that
 * clients fetch a new token. A request without a token gets the challenge without a code.
 *
 * @throws {CoreError} auth.required · service.unavailable
 */
export async function identify(tokens: Tokens, c: Context<KitEnv>): Promise<Principal> {
  if (tokens.read !== undefined) return tokens.verify(required(tokens.read(c)))
  const token = required(bearerToken(c.req.header('authorization')))
  try {
    if (!tokenPattern.test(token)) throw new CoreError('auth.required')
    return await tokens.verify(token)
  } catch (error) {
    if (!isKitError(error) || error.code !== 'auth.required') throw error
    const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
    throw new CoreError('auth.required', { detail: error.detail, headers, cause: error })
  }
}

function required(token: string | undefined): string {
  if (token === undefined || token === '') throw new CoreError('auth.required')
  return token
}

/** Returns the credentials of `Authorization: Bearer`, even if they are not a well-formed token. */
const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(.+)$/i.exec(header ?? '')?.[1]

/** The syntax of a bearer token (RFC 6750 §2.1). */
const tokenPattern = /^[\w\-.~+/]+=*$/
