import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { KitEnv } from './kit-env.ts'

/** What is safe in a header, a log line and a column. */
const sanePattern = /^[\w.:-]{1,128}$/

/** The id of a request: the caller's own when it is well-formed, a new UUID otherwise. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && sanePattern.test(given) ? given : randomUUID()
}

/**
 * Gives each request its id, `c.get('requestId')`, and each response the header `X-Request-Id`. The kit's routes need
 * it; {@link createApplication} installs it, and so does an application that mounts a package's router by itself.
 */
export function requestId(): MiddlewareHandler<KitEnv> {
  return async (c, next) => {
    const id = requestIdOf(c.req.header('x-request-id'))
    c.set('requestId', id)
    await next()
    c.res.headers.set('X-Request-Id', id)
  }
}
