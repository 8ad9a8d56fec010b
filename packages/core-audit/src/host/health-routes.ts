import { Hono } from 'hono'
import type { KitEnv } from '../http/kit-env.ts'
import { type HealthCheck, healthReporter } from './health.ts'
import { type CheckedHost, hostChecks } from './host-checks.ts'

/**
 * Creates the routes `/health`, `/health/live` and `/health/ready`, for an application that mounts the modules itself:
 * `app.route('/', healthRoutes({ database, modules }))`. `createApplication` contains them. They need no credentials, and contain
 * counts and ages, but no personal data.
 */
export function healthRoutes(
  host: CheckedHost & {
    /** Returns true when the host is about to stop. `/health/ready` then answers 503. */
    readonly isDraining?: () => boolean
  },
): Hono<KitEnv> {
  return routesOfChecks(hostChecks(host), host.isDraining)
}

/** Like {@link healthRoutes}, with checks that the caller chooses. */
export function routesOfChecks(
  checks: readonly HealthCheck[],
  isDraining: () => boolean = () => false,
): Hono<KitEnv> {
  const reportAll = healthReporter(checks)
  // Readiness depends only on the database, because every request fails without the database.
  const reportReadiness = healthReporter(checks.filter(({ name }) => name === 'database'))
  return new Hono<KitEnv>()
    .get('/health', async (c) => {
      const health = await reportAll()
      return c.json(health, health.status === 'Unhealthy' ? 503 : 200)
    })
    .get('/health/live', (c) => c.json({ status: 'Healthy' }))
    .get('/health/ready', async (c) => {
      if (isDraining()) return c.json({ status: 'Unhealthy', detail: 'This host is shutting down.' }, 503)
      const { status, entries } = await reportReadiness()
      const detail = entries['database']?.detail
      return c.json(
        { status, ...(detail === undefined ? {} : { detail }) },
        status === 'Unhealthy' ? 503 : 200,
      )
    })
}
