import type { Context, Hono } from 'hono'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { problemResponse } from '../http/problems.ts'

/**
 * Returns the handler of requests that no route of the application handles. If the path has routes of other methods, the
 * response is 405 with `Allow` (RFC 9110 §15.5.6), or 204 with `Allow` for OPTIONS (§9.3.7). Otherwise it is 404.
 */
export function noRoute(app: Hono<KitEnv>): (c: Context<KitEnv>) => Response {
  return (c) => {
    const methods = methodsOf(app, c.req.path)
    const requestId = c.get('requestId')
    if (methods.length === 0) return problemResponse(new CoreError('request.route_not_found'), requestId)
    const headers = { Allow: methods.join(', ') }
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers })
    return problemResponse(new CoreError('request.method_not_allowed', { headers }), requestId)
  }
}

/** Returns the methods of the routes of a path. Middleware and catch-all routes, such as pages for people, do not count. */
function methodsOf({ routes, router }: Hono<KitEnv>, path: string): readonly string[] {
  const registered = [...new Set(routes.map(({ method }) => method))].filter((method) => method !== 'ALL')
  const methods = registered.filter((method) =>
    router
      .match(method, path)[0]
      .some(([[, route]]) => route.method === method && !/^\/?\*$/.test(route.path)),
  )
  if (methods.length === 0) return []
  // Hono answers HEAD with the routes of GET.
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
}

/**
 * Returns whether Hono itself answered a request without a route. If an application mounts the application of a host with
 * `route()`, Hono ignores the handler of {@link noRoute} and calls the handler of the outer application, or its default.
 */
export async function isDefaultNotFound(response: Response): Promise<boolean> {
  if (response.status !== 404 || !response.headers.get('Content-Type')?.startsWith('text/plain')) return false
  return (await response.clone().text()) === '404 Not Found'
}
