import { CoreError } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { type KitEnv, toRefusal } from '@vertical-kit/core-audit/http'
import { Context, type MiddlewareHandler } from 'hono'
import { RealtimeError } from './errors.ts'
import { isAllowedOrigin } from './origin.ts'

/** A caller that is allowed to connect. The connection ends when the credentials of the caller expire. */
export interface Admitted {
  readonly caller: Caller
  readonly expiresAtMs: number
  /**
   * Returns the caller with current rights.
   * @throws {CoreError} auth.inactive
   */
  callerNow(): Promise<Caller>
}

/**
 * Admits authenticated requests from allowed pages, and from clients that are not pages. If a request has no
 * `authorization` header, reads the token from the `access_token` parameter, because browsers cannot set headers on a
 * WebSocket.
 *
 * @throws {CoreError} auth.required · auth.inactive · service.unavailable
 * @throws {RealtimeError} work_center.origin_refused
 */
export type Admit = (request: Request, arrival: Arrival) => Promise<Admitted>

/** The parts of an arriving request that its authentication can read besides the request itself: see `KitEnv`. */
export interface Arrival {
  /** The bindings of Hono's context. In Node, `incoming` is the request of the server. */
  readonly env: unknown
  readonly requestId: string
  readonly logger: KitEnv['Variables']['logger']
}

export function createAdmit(
  database: Pick<Database, 'transaction'>,
  authenticate: MiddlewareHandler<KitEnv>,
  allowedOrigins: ReadonlySet<string>,
): Admit {
  return async (request, arrival) => {
    const headers = new Headers(request.headers)
    const url = new URL(request.url)
    // Remove credentials from the URL, because the constructor of `Request` rejects them.
    Object.assign(url, { username: '', password: '' })
    const [accessToken, ...others] = headers.has('authorization')
      ? []
      : url.searchParams.getAll('access_token')
    const hasToken = accessToken !== undefined || headers.has('authorization')
    checkOrigin(headers, { allowedOrigins, hasToken })
    if (accessToken !== undefined) {
      if (!isToken(accessToken) || others.length > 0)
        throw new CoreError('auth.required', { headers: rejected })
      headers.set('authorization', `Bearer ${accessToken}`)
    }
    return admittedBy(database, authenticate, new Request(url, { headers }), arrival)
  }
}

interface OriginCheck {
  readonly allowedOrigins: ReadonlySet<string>
  readonly hasToken: boolean
}

/** Browsers always send `origin`. Rejects a cookie without `origin`, because any page can make a browser send a cookie. */
function checkOrigin(headers: Headers, { allowedOrigins, hasToken }: OriginCheck): void {
  const origin = headers.get('origin') ?? undefined
  const host = headers.get('host') ?? undefined
  const hasOnlyCookie = origin === undefined && headers.has('cookie') && !hasToken
  if (hasOnlyCookie || !isAllowedOrigin({ origin, host }, allowedOrigins)) {
    throw new RealtimeError('work_center.origin_refused')
  }
}

/** Runs only the authentication middleware on the request. No route runs. @throws {CoreError} */
async function admittedBy(
  database: Pick<Database, 'transaction'>,
  authenticate: MiddlewareHandler<KitEnv>,
  request: Request,
  { env, requestId, logger }: Arrival,
): Promise<Admitted> {
  const c = new Context<KitEnv>(request, { env: env as object, path: new URL(request.url).pathname })
  c.set('requestId', requestId)
  c.set('logger', logger)
  try {
    await authenticate(c, async () => {})
  } catch (error) {
    // Clients of the hub need a code, also if the middleware refuses with a text for people.
    throw toRefusal(error)
  }
  const caller: Caller | undefined = c.get('caller')
  // The middleware of an application can send a response without throwing an error.
  if (caller === undefined) throw new CoreError('auth.required')
  return {
    caller,
    expiresAtMs: c.get('credentialsExpireAtMs') ?? Number.POSITIVE_INFINITY,
    // An application's own middleware may set only `callerNow`.
    callerNow: c.get('callerLater') ?? (() => database.transaction((tx) => c.get('callerNow')(tx))),
  }
}

/** The challenge for a token that is not well-formed (RFC 6750 §3.1). */
const rejected = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }

/** Checks the syntax of RFC 6750 §2.1. */
const isToken = (text: string): boolean => /^[\w\-.~+/]+=*$/.test(text)
