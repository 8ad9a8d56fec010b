import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { KitEnv } from './kit-env.ts'

/** Values that are safe in a header, a log line and a column. */
const sanePattern = /^[\w.:-]{1,128}$/

/** Returns the client's own request id if it is well-formed, otherwise a new UUID. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && sanePattern.test(given) ? given : randomUUID()
}

/**
 * Sets `c.get('requestId')` on each request and the header `X-Request-Id` on each response. The kit's routes need it.
 * {@link createApplication} installs it; an application that mounts a package's router itself must install it too.
 */
export function requestId(): MiddlewareHandler<KitEnv> {
  return async (c, next) => {
    const id = requestIdOf(c.req.header('x-request-id'))
    c.set('requestId', id)
    await next()
    c.res.headers.set('X-Request-Id', id)
  }
}
