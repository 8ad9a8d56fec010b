import type { Tracer } from '@opentelemetry/api'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { isKitError } from '../errors.ts'
import { durationHistogram } from './metrics.ts'
import { activeTracer, openTelemetry } from './open-telemetry.ts'
import type { TelemetryAttributes } from './spans.ts'
import { startSpan, toRunning } from './start-span.ts'

const duration = durationHistogram('http.server.request.duration', 'Duration of HTTP server requests.')

/**
 * Returns middleware that creates the server span of each request and records `http.server.request.duration`.
 * {@link createApplication} installs it. Applications that mount a router themselves install it first:
 *
 *     app.use('*', telemetry(), requestId())
 *
 * If a span is already active, for example of OpenTelemetry's HTTP instrumentation, the middleware creates no span. It only
 * sets the name and `http.route` of the active span. Attributes contain the route, never the path, because paths contain
 * parameters. Without a registered SDK, the middleware has no effect.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function telemetry(): MiddlewareHandler {
  return async (c, next) => {
    const tracer = activeTracer()
    if (tracer === undefined && !duration.isActive) return next()
    const startedMs = performance.now()
    try {
      await (tracer === undefined ? next() : traceRequest(tracer, c, next))
    } finally {
      duration.record((performance.now() - startedMs) / 1_000, attributesOf(c))
    }
  }
}

async function traceRequest(tracer: Tracer, c: Context, next: () => Promise<void>): Promise<void> {
  const api = openTelemetry()
  if (api === null) return next()
  const method = methodOf(c)
  const outer = api.trace.getActiveSpan()
  if (outer !== undefined) {
    await next()
    const route = routeOf(c)
    if (route !== undefined) outer.updateName(`${method} ${route}`).setAttribute('http.route', route)
    return
  }
  const parent = api.propagation.extract(api.context.active(), c.req.header())
  const span = startSpan(
    tracer,
    { name: method, kind: 'server', attributes: { 'http.request.method': method } },
    parent,
  )
  try {
    await api.context.with(api.trace.setSpan(parent, span), next)
  } finally {
    const attributes = attributesOf(c)
    span.setAttributes({ ...attributes })
    const route = attributes['http.route']
    if (route !== undefined) span.updateName(`${method} ${route}`)
    const failure = attributes['error.type']
    if (failure !== undefined) toRunning(span).fail(String(failure))
    span.end()
  }
}

/** Returns the attributes of an answered request. */
function attributesOf(c: Context): TelemetryAttributes {
  const route = routeOf(c)
  const { status } = c.res
  return {
    'http.request.method': methodOf(c),
    'http.response.status_code': status,
    'url.scheme': c.req.url.startsWith('https:') ? 'https' : 'http',
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(status < 500 ? {} : { 'error.type': isKitError(c.error) ? c.error.code : String(status) }),
  }
}

const knownMethods: ReadonlySet<string> = new Set([
  ...['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
])

/** The conventions require `_OTHER` for methods that are not standard, which limits the number of values. */
const methodOf = (c: Context): string => (knownMethods.has(c.req.method) ? c.req.method : '_OTHER')

/** Returns the path pattern of the request's handler. Middleware is registered for all methods, so it is not a handler. */
function routeOf(c: Context): string | undefined {
  return matchedRoutes(c).findLast(({ method }) => method !== 'ALL')?.path
}
