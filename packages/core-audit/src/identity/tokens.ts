import type { Context } from 'hono'
import { CoreError } from '../errors.ts'
import type { HealthCheck } from '../host/health.ts'
import type { KitEnv } from '../http/kit-env.ts'

/** The user that a request's credentials identify. A `null` value does not change the user's record. */
export interface Principal {
  /** The subject is stable and opaque: subjects that differ only in white space are different people. */
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  /** Whether the credentials themselves grant everything, with or without a user record. */
  readonly isAdministrator: boolean
  /** The time at which the credentials expire, by the clock of `Date.now`. Sockets end then. `Infinity` means never. */
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
}

/**
 * Returns the token of a request.
 * @throws {CoreError} auth.required
 */
export function readToken(tokens: Tokens, c: Context<KitEnv>): string {
  const token = tokens.read === undefined ? bearerToken(c.req.header('authorization')) : tokens.read(c)
  if (token === undefined || token === '') throw new CoreError('auth.required')
  return token
}

/** Parses `Authorization: Bearer` (RFC 6750 §2.1). */
const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +([\w\-.~+/]+=*)$/i.exec(header ?? '')?.[1]
