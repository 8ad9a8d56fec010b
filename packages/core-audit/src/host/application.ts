import { Hono, type MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import { CoreError, type ErrorTable } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { problemResponse, problems, refuse } from '../http/problems.ts'
import { requestId } from '../http/request-id.ts'
import type { KitModule } from '../module.ts'
import { version } from '../version.ts'
import { checkModules } from './check-modules.ts'
import { databaseHealth } from './database-health.ts'
import { documentationPage } from './docs-page.ts'
import { fixedAnswer } from './fixed-answer.ts'
import { type HealthCheck, healthReporter } from './health.ts'
import { openApiDocument } from './openapi.ts'

export interface ApplicationOptions {
  readonly title: string
  /** Puts the caller on every request below `/api`: `authenticate` of {@link createIdentity}, or the application's own. */
  readonly authenticate: MiddlewareHandler<KitEnv>
  readonly modules: readonly KitModule[]
  readonly logger: Logger
  /** What `/health/ready` asks: whether it answers, and has every migration of the modules. */
  readonly database: Database
  /** Checks of the host's own, besides those of the database and of its modules. */
  readonly health?: readonly HealthCheck[]
  /** Returns whether the host is about to stop: `/health/ready` then answers 503. */
  readonly isDraining?: () => boolean
}

/**
 * The HTTP side of a host: request ids, authentication below `/api`, the modules' routes, problem details for
 * whatever goes wrong, `/health`, `/openapi.json` and `/docs`.
 *
 * @throws {TypeError} when the modules do not fit together: see {@link checkModules}
 */
export function createApplication(options: ApplicationOptions): Hono<KitEnv> {
  const { authenticate, logger, modules } = options
  checkModules(modules)
  const app = new Hono<KitEnv>()
  app.use('*', requestId(), observe(logger))
  const parts = [...(options.health ?? []), ...modules.flatMap((module) => module.health ?? [])]
  mountHealth(app, [databaseHealth(options.database, modules), ...parts], options.isDraining ?? (() => false))
  app.use('/api/*', authenticate)
  for (const module of modules) {
    if (module.router !== undefined) app.route('/', module.router)
  }
  mountDescription(app, options)
  app.notFound((c) => problemResponse(new CoreError('request.route_not_found'), c.get('requestId')))
  app.onError(problems(logger))
  return app
}

/** What every response carries besides the request id, and one line a request for those who debug. */
function observe(logger: Logger): MiddlewareHandler<KitEnv> {
  return async (c, next) => {
    const startedMs = performance.now()
    c.set('logger', logger)
    try {
      await next()
    } catch (error) {
      // Hono hands `onError` what is an Error of this realm, and lets the rest through.
      c.res = refuse(error, c, logger)
    }
    const { headers } = c.res
    headers.set('X-Content-Type-Options', 'nosniff')
    headers.set('Referrer-Policy', 'no-referrer')
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
    if (!logger.isLevelEnabled('debug')) return
    // The path without its query: a query may carry a token, ids and filters of no use here.
    const line = {
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
    }
    logger.debug({ ...line, durationMs: Math.round(performance.now() - startedMs) }, 'request')
  }
}

function mountHealth(app: Hono<KitEnv>, checks: readonly HealthCheck[], isDraining: () => boolean): void {
  const reportAll = healthReporter(checks)
  // Without the database no request succeeds.
  const reportReadiness = healthReporter(checks.filter(({ name }) => name === 'database'))
  app.get('/health', async (c) => {
    const health = await reportAll()
    return c.json(health, health.status === 'Unhealthy' ? 503 : 200)
  })
  app.get('/health/live', (c) => c.json({ status: 'Healthy' }))
  app.get('/health/ready', async (c) => {
    if (isDraining()) return c.json({ status: 'Unhealthy', detail: 'This host is shutting down.' }, 503)
    const { status, entries } = await reportReadiness()
    const detail = entries['database']?.detail
    return c.json({ status, ...(detail === undefined ? {} : { detail }) }, status === 'Unhealthy' ? 503 : 200)
  })
}

function mountDescription(app: Hono<KitEnv>, options: ApplicationOptions): void {
  const classes = [CoreError, ...options.modules.flatMap((module) => module.errors ?? [])]
  const errors: ErrorTable = Object.assign({}, ...classes.map((errorClass) => errorClass.table))
  // Made while the host starts, so that a wrong description stops the start and not the first reader.
  const document = openApiDocument(app, { title: options.title, version, errors })
  const body = JSON.stringify(document)
  app.get('/openapi.json', fixedAnswer({ body, contentType: 'application/json' }))
  app.get(
    '/docs',
    fixedAnswer(() => documentationPage(document)),
  )
}
