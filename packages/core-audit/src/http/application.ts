import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { CoreError, type ErrorTable } from '../errors.ts'
import { type HealthCheck, healthReporter } from '../health/health.ts'
import type { Identity } from '../identity/module.ts'
import { checkModules, type KitModule, releaseTrain } from '../module.ts'
import { documentationPage } from './docs-page.ts'
import type { KitEnv } from './environment.ts'
import { fixedAnswer } from './fixed-answer.ts'
import { openApiDocument } from './openapi.ts'
import { problemResponse, toKitError } from './problem.ts'

export interface ApplicationOptions {
  readonly title: string
  readonly identity: Identity
  readonly modules: readonly KitModule[]
  readonly logger: Logger
  /** Besides those the modules bring: `databaseHealth(database)` at least, which is what `/health/ready` asks. */
  readonly health?: readonly HealthCheck[]
}

/**
 * The HTTP side of a host: request ids, authentication below `/api`, the modules' routes, problem details for
 * whatever goes wrong, `/health`, `/openapi.json` and `/docs`.
 *
 * @throws {TypeError} when the modules are not of one release, or register a name or permission twice
 */
export function createApplication(options: ApplicationOptions): Hono<KitEnv> {
  const { identity, logger, modules } = options
  checkModules(modules)
  const app = new Hono<KitEnv>()
  app.use('*', observe(logger))
  mountHealth(app, [...(options.health ?? []), ...modules.flatMap((module) => module.health ?? [])])
  app.use('/api/*', identity.authenticate)
  for (const module of modules) {
    if (module.router !== undefined) app.route('/', module.router)
  }
  mountDescription(app, options)
  app.notFound((c) => problemResponse(new CoreError('request.route_not_found'), c.get('requestId')))
  app.onError((error, c) => refuse(error, c))
  return app
}

/** Of a caller's request id: what is safe in a header, a log line and a column. */
const saneRequestId = /^[\w.:-]{1,128}$/

function observe(logger: Logger) {
  return async (c: Context<KitEnv>, next: () => Promise<void>): Promise<void> => {
    const startedMs = performance.now()
    const given = c.req.header('x-request-id')
    const requestId = given !== undefined && saneRequestId.test(given) ? given : randomUUID()
    c.set('requestId', requestId)
    c.set('logger', logger)
    try {
      await next()
    } catch (error) {
      // Hono hands `onError` what is an Error of this realm, and lets the rest through.
      c.res = refuse(error, c)
    }
    const { headers } = c.res
    headers.set('X-Request-Id', requestId)
    headers.set('X-Content-Type-Options', 'nosniff')
    headers.set('Referrer-Policy', 'no-referrer')
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
    if (!logger.isLevelEnabled('debug')) return
    // The path without its query: a query may carry a token, ids and filters of no use here.
    const line = { requestId, method: c.req.method, path: c.req.path, status: c.res.status }
    logger.debug({ ...line, durationMs: Math.round(performance.now() - startedMs) }, 'request')
  }
}

function refuse(error: unknown, c: Context<KitEnv>): Response {
  const refusal = toKitError(error)
  const requestId = c.get('requestId')
  if (refusal.status >= 500) {
    // Logged once, here. `internal` is our fault; an unavailable part is the operator's to know.
    const err = refusal.code === 'internal' ? (refusal.cause ?? refusal) : refusal
    c.get('logger').error(
      { err, requestId, method: c.req.method, path: c.req.path, code: refusal.code },
      refusal.code,
    )
  }
  return problemResponse(refusal, requestId)
}

function mountHealth(app: Hono<KitEnv>, checks: readonly HealthCheck[]): void {
  const reportAll = healthReporter(checks)
  const reportDatabase = healthReporter(checks.filter((check) => check.name === 'database'))
  app.get('/health', async (c) => {
    const health = await reportAll()
    return c.json(health, health.status === 'Unhealthy' ? 503 : 200)
  })
  app.get('/health/live', (c) => c.json({ status: 'Healthy' }))
  app.get('/health/ready', async (c) => {
    const { status } = await reportDatabase()
    return c.json({ status }, status === 'Unhealthy' ? 503 : 200)
  })
}

function mountDescription(app: Hono<KitEnv>, options: ApplicationOptions): void {
  const classes = [CoreError, ...options.modules.flatMap((module) => module.errors ?? [])]
  const errors: ErrorTable = Object.assign({}, ...classes.map((errorClass) => errorClass.table))
  // Made while the host starts, so that a wrong description stops the start and not the first reader.
  const document = openApiDocument(app, { title: options.title, version: releaseTrain, errors })
  const body = JSON.stringify(document)
  app.get('/openapi.json', fixedAnswer({ body, contentType: 'application/json' }))
  app.get(
    '/docs',
    fixedAnswer(() => documentationPage(document)),
  )
}
