import type { Context } from 'hono'
import { CoreError } from '../errors.ts'
import type { HealthCheck } from '../host/health.ts'
import type { KitEnv } from '../http/kit-env.ts'

/** Whom a request's credentials name. What they do not say is `null`, and stays as the user's record has it. */
export interface Principal {
  /** Stable and opaque: two subjects that differ in white space alone are two people. */
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  /** Whether the credentials themselves grant everything, with or without a user record. */
  readonly isAdministrator: boolean
  /** When the credentials end, by the clock of `Date.now`; sockets end then. `Infinity` when they do not. */
  readonly expiresAtMs: number
}

/**
 * How requests prove who sends them. {@link oidcTokens} verifies OpenID Connect access tokens; a cookie session or a
 * header that a gateway sets is the same in a few lines: `read` finds it, `verify` looks it up.
 */
export interface Tokens {
  /** Where a request carries its token; `undefined` when it has none. `Authorization: Bearer` when absent. */
  read?(c: Context<KitEnv>): string | undefined
  /** @throws {CoreError} auth.required for a token that is not valid · service.unavailable */
  verify(token: string): Promise<Principal>
  /** Of what tokens are verified with, in the health report. */
  readonly health?: readonly HealthCheck[]
}

/** @throws {CoreError} auth.required */
export function readToken(tokens: Tokens, c: Context<KitEnv>): string {
  const token = tokens.read === undefined ? bearerToken(c.req.header('authorization')) : tokens.read(c)
  if (token === undefined || token === '') throw new CoreError('auth.required')
  return token
}

/** RFC 6750 §2.1. */
const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +([\w\-.~+/]+=*)$/i.exec(header ?? '')?.[1]
