import { Hono, type MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import { CoreError, type ErrorTable } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { problems, refuse } from '../http/problems.ts'
import { requestId } from '../http/request-id.ts'
import type { KitModule } from '../module.ts'
import { telemetry } from '../telemetry/server-telemetry.ts'
import { version } from '../version.ts'
import { commonHeaders } from './bare-refusal.ts'
import { checkModules } from './check-modules.ts'
import { documentationPage } from './docs-page.ts'
import { fixedAnswer } from './fixed-answer.ts'
import type { HealthCheck } from './health.ts'
import { routesOfChecks } from './health-routes.ts'
import { hostChecks } from './host-checks.ts'
import { limitRequests } from './limit-requests.ts'
import { isDefaultNotFound, noRoute } from './no-route.ts'
import { openApiDocument } from './openapi.ts'
import type { RateLimitConfig } from './rate-limit-config.ts'

/** The routes and checks of a host. An application alone runs no workers and does not listen. */
export interface ApplicationOptions {
  readonly title: string
  /** Sets the caller of every request below `/api`: `authenticate` of {@link createIdentity}, or your own middleware. */
  readonly authenticate: MiddlewareHandler<KitEnv>
  readonly modules: readonly KitModule[]
  readonly logger: Logger
  /**
   * The database. `/health/ready` requires that the database answers and that all migrations of the modules are applied.
   */
  readonly database: Database
  /**
   * The host's own middleware for every request, such as Hono's `cors()`. It runs before authentication, so that browsers can
   * send preflight requests.
   */
  readonly middleware?: readonly MiddlewareHandler[]
  /** Limits for requests below `/api`, from `readRateLimitConfig`. By default, there are none. */
  readonly rateLimit?: RateLimitConfig
  /** Checks of the host itself, in addition to those of the database and the modules. */
  readonly health?: readonly HealthCheck[]
  /** Returns true when the host is about to stop. `/health/ready` then answers 503. */
  readonly isDraining?: () => boolean
}

/**
 * Creates the HTTP application of a host: request ids, authentication below `/api`, the modules' routes, problem details
 * for every error, `/health`, `/openapi.json` and `/docs`.
 *
 * @throws {TypeError} when the modules do not fit together: see {@link checkModules}
 */
export function createApplication(options: ApplicationOptions): Hono<KitEnv> {
  const { authenticate, modules } = options
  checkModules(modules)
  const app = createBareApplication({ ...options, checks: hostChecks(options) })
  app.use(
    '/api/*',
    options.rateLimit === undefined ? authenticate : limitRequests(authenticate, options.rateLimit),
  )
  for (const module of modules) {
    if (module.router !== undefined) app.route('/', module.router)
  }
  mountDescription(app, options)
  return app
}

/** An application without modules. `checks` are those of `/health`. */
type BareApplicationOptions = Pick<ApplicationOptions, 'logger' | 'middleware' | 'isDraining'> & {
  readonly checks: readonly HealthCheck[]
}

/** Creates an application with request ids, problem details for every error, and `/health`. */
export function createBareApplication(options: BareApplicationOptions): Hono<KitEnv> {
  const { logger, checks, middleware = [], isDraining } = options
  const app = new Hono<KitEnv>()
  app.use('*', telemetry(), requestId(), observe(app, logger), ...middleware)
  app.route('/', routesOfChecks(checks, isDraining))
  app.notFound(noRoute(app))
  app.onError(problems(logger))
  return app
}

/** Sets the common response headers and logs each request at level `debug`. */
function observe(app: Hono<KitEnv>, logger: Logger): MiddlewareHandler<KitEnv> {
  const withoutRoute = noRoute(app)
  return async (c, next) => {
    const startedMs = performance.now()
    c.set('logger', logger)
    try {
      await next()
    } catch (error) {
      // Hono passes only instances of this realm's `Error` to `onError`, and rethrows all other values.
      c.res = refuse(error, c, logger)
    }
    if (await isDefaultNotFound(c.res)) c.res = withoutRoute(c)
    const { headers } = c.res
    for (const [name, value] of commonHeaders) headers.set(name, value)
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
    if (!logger.isLevelEnabled('debug')) return
    // Log the path without its query, which can contain a token.
    const line = {
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
    }
    logger.debug({ ...line, durationMs: Math.round(performance.now() - startedMs) }, 'request')
  }
}

function mountDescription(app: Hono<KitEnv>, options: ApplicationOptions): void {
  const classes = [CoreError, ...options.modules.flatMap((module) => module.errors ?? [])]
  const errors: ErrorTable = Object.assign({}, ...classes.map((errorClass) => errorClass.table))
  // Routes that the host adds later are not part of the document.
  const described = { routes: [...app.routes] }
  const document = () => openApiDocument(described, { title: options.title, version, errors })
  // Create the document while the host starts: an error in it must stop the start, not fail the first request. The first
  // request creates it again, because most tenants of a process never need it.
  document()
  app.get(
    '/openapi.json',
    fixedAnswer(async () => ({ body: JSON.stringify(document()), contentType: 'application/json' })),
  )
  app.get(
    '/docs',
    fixedAnswer(() => documentationPage(document())),
  )
}
