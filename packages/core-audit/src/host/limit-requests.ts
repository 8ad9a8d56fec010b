import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import type { Caller } from '../access/caller.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { toRefusal } from '../http/problems.ts'
import { createClientAddress } from './client-address.ts'
import type { RateLimitConfig } from './rate-limit-config.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

/** A limit that applies to a request, and the key under which the request counts. */
interface Policy {
  readonly name: 'user' | 'address'
  readonly limiter: RateLimiter
  readonly key: string
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Adds the limits of a configuration to the authentication of requests. Returns `authenticate` itself if all limits are off.
 *
 * A request that one limit refuses does not count for the others, so a user who exceeds the limit for users does not use up
 * the limit of an address for the other users behind it. For the same reason, requests without a valid user have their own
 * count for each address. All limits are checked after authentication, which is cheap.
 *
 * @throws {CoreError} request.rate_limited, with `Retry-After`, and the errors of `authenticate`
 * @see draft-ietf-httpapi-ratelimit-headers-11 for `RateLimit` and `RateLimit-Policy`
 */
export function limitRequests(
  authenticate: MiddlewareHandler<KitEnv>,
  config: RateLimitConfig,
  now: () => number = () => performance.now(),
): MiddlewareHandler<KitEnv> {
  const { writesPerUser, writesPerAddress, concurrentPerUser } = config
  if (writesPerUser === null && writesPerAddress === null && concurrentPerUser === null) return authenticate
  const users = writesPerUser === null ? null : createRateLimiter(writesPerUser, { now })
  const addresses = writesPerAddress === null ? null : createRateLimiter(writesPerAddress, { now })
  const strangers = writesPerAddress === null ? null : createRateLimiter(writesPerAddress, { now })
  const clientAddress = createClientAddress(config.trustedProxies)
  const inProgress = createConcurrency(concurrentPerUser)
  const addressOf = (c: Context<KitEnv>): string =>
    clientAddress(socketAddressOf(c), c.req.header('x-forwarded-for'))

  const policiesOf = (c: Context<KitEnv>, address: string): readonly Policy[] => {
    if (readMethods.has(c.req.method)) return []
    const caller: Caller | undefined = c.get('caller')
    return [
      ...(users === null || caller === undefined ? [] : [policy('user', users, caller.subject)]),
      ...(addresses === null ? [] : [policy('address', addresses, address)]),
    ]
  }
  const countStranger = (c: Context<KitEnv>, address: string): void => {
    if (strangers !== null && !readMethods.has(c.req.method)) count([policy('address', strangers, address)])
  }

  return async (c, next) => {
    let isAuthenticated = false
    // The socket of a client that leaves during the authentication has no address any more.
    const address = addressOf(c)
    const admit = async (): Promise<void> => {
      isAuthenticated = true
      const leave = inProgress.enter(c.get('caller'))
      try {
        const policies = policiesOf(c, address)
        count(policies)
        await next()
        for (const [name, value] of Object.entries(headersOf(policies))) c.res.headers.set(name, value)
      } finally {
        whenSent(c, leave)
      }
    }
    try {
      const response = await authenticate(c, admit)
      if (!isAuthenticated) countStranger(c, address)
      return response
    } catch (error) {
      // A failure of the service, such as an unreachable identity provider, says nothing about the caller.
      if (!isAuthenticated && toRefusal(error).status < 500) countStranger(c, address)
      throw error
    }
  }
}

const policy = (name: Policy['name'], limiter: RateLimiter, key: string): Policy => ({ name, limiter, key })

/** Counts a request for all policies, or for none if one of them refuses it. */
function count(policies: readonly Policy[]): void {
  const refusing = policies.find(({ limiter, key }) => limiter.remaining(key) === 0)
  if (refusing === undefined) {
    for (const { limiter, key } of policies) limiter.take(key)
    return
  }
  const { name, limiter } = refusing
  const waitMs = Math.max(...policies.map(({ limiter, key }) => limiter.nextInMs(key)))
  const headers = { ...headersOf(policies), 'Retry-After': `${wholeSeconds(waitMs)}` }
  throw new CoreError('request.rate_limited', { context: { policy: name, max: limiter.rate.count }, headers })
}

function headersOf(policies: readonly Policy[]): Readonly<Record<string, string>> {
  if (policies.length === 0) return {}
  const rules = policies.map(
    ({ name, limiter: { rate } }) => `"${name}";q=${rate.count};w=${rate.windowMs / 1000}`,
  )
  const states = policies.map(({ name, limiter, key }) => {
    return `"${name}";r=${limiter.remaining(key)};t=${wholeSeconds(limiter.resetInMs(key))}`
  })
  return { 'RateLimit-Policy': rules.join(', '), RateLimit: states.join(', ') }
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000)

/** Counts the requests of each user that are in progress. */
function createConcurrency(max: number | null) {
  const counts = new Map<string, number>()
  const nothing = (): void => {}
  return {
    /** Returns the function that ends the request. @throws {CoreError} request.rate_limited */
    enter(caller: Caller | undefined): () => void {
      if (max === null || caller === undefined) return nothing
      const { subject } = caller
      const current = counts.get(subject) ?? 0
      if (current >= max) {
        const headers = {
          'Retry-After': '1',
          'RateLimit-Policy': `"concurrent";q=${max};qu="concurrent-requests"`,
          RateLimit: '"concurrent";r=0',
        }
        throw new CoreError('request.rate_limited', { context: { policy: 'concurrent', max }, headers })
      }
      counts.set(subject, current + 1)
      return () => {
        const left = (counts.get(subject) ?? 0) - 1
        if (left <= 0) counts.delete(subject)
        else counts.set(subject, left)
      }
    },
  }
}

/** The request and response of the server; empty if the application was called without one. */
const serverEnv = (c: Context<KitEnv>) =>
  (c.env ?? {}) as { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse }

/** Returns the address of the request's socket. */
const socketAddressOf = (c: Context<KitEnv>): string | undefined =>
  serverEnv(c).incoming?.socket.remoteAddress

/** Calls `act` when the response has been sent, or its client has left. The handler of a stream returns before that. */
function whenSent(c: Context<KitEnv>, act: () => void): void {
  const { outgoing } = serverEnv(c)
  if (outgoing === undefined || outgoing.closed) act()
  else outgoing.once('close', act)
}
