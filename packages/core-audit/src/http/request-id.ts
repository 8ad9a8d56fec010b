import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { KitEnv } from './kit-env.ts'

/** Matches request ids that are safe in a header, in a log line and in a database column. */
const sanePattern = /^[\w.:-]{1,128}$/

/** Returns the client's own request id if it is well-formed, otherwise a new UUID. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && sanePattern.test(given) ? given : randomUUID()
}

/**
 * Returns middleware that sets `c.get('requestId')` on each request and the header `X-Request-Id` on each response. The
 * kit's routes need this middleware. {@link createApplication} installs it. Applications that mount a router themselves
 * must also install the middleware themselves.
 */
export function requestId(): MiddlewareHandler<KitEnv> {
  return async (c, next) => {
    const id = requestIdOf(c.req.header('x-request-id'))
    c.set('requestId', id)
    await next()
    c.res.headers.set('X-Request-Id', id)
  }
}
