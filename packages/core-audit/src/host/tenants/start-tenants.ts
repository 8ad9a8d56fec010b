import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'
import { surviveDriverRejections } from '../../database/driver-rejections.ts'
import { CoreError, isKitError, type KitError } from '../../errors.ts'
import { requestIdOf } from '../../http/request-id.ts'
import { createBareApplication } from '../application.ts'
import { bareRefusal } from '../bare-refusal.ts'
import { onPort } from '../cannot-start-error.ts'
import { closeInTime } from '../close-in-time.ts'
import type { MetricsConfig } from '../metrics-config.ts'
import { type RunningMetrics, startMetrics } from '../metrics-server.ts'
import { observeHealth } from '../observe-host.ts'
import { listen } from '../server.ts'
import type { ServerConfig } from '../server-config.ts'
import type { RunningHost } from '../start-host.ts'
import { refuseUpgrade, upgradeIdOf, upgradeOnlyWebSockets } from '../upgrades.ts'
import { defaultGraceMs } from '../workers.ts'
import { createTenants, type Tenants, type TenantsOptions } from './tenants.ts'

/**
 * A process for many tenants. `open` composes the modules of one tenant, and `tenantOf` finds the tenant of a request.
 */
export interface TenantsHostOptions extends Pick<TenantsOptions, 'tenants' | 'open' | 'config' | 'logger'> {
  /**
   * Returns the id of the tenant of a request or an upgrade, for example by its host name. The id does not have to exist. For
   * `undefined`, the process answers: `/health`, `/health/live` and `/health/ready` report about the process.
   */
  tenantOf(request: IncomingMessage): string | undefined
  readonly server: ServerConfig
  /** Serves the metrics of the process for Prometheus at `/metrics` of this address; off when absent. */
  readonly metrics?: MetricsConfig | undefined
}

/** A host that serves many tenants, each with its own database. */
export interface RunningTenantsHost extends RunningHost {
  /** The number of tenants that are open. */
  readonly openCount: number
}

/** How often idle tenants are closed and closed tenants are visited. */
const roundMs = 1_000

/**
 * Starts a host that serves many tenants in one process, each over its own migrated database. A tenant opens at its first
 * request; open, it works like a host of `startHost`. When it has been idle, it closes: it then has no connection, no timer
 * and no modules. A closed tenant is visited regularly with one statement, and opens if a worker has work. So an event that
 * another process has appended is found within `visitIntervalMs`, and work that waits for a time starts at that time.
 *
 * A tenant that cannot be opened answers 503 and affects no other tenant.
 *
 * @throws {CannotStartError} when a port is in use
 * @throws {ConfigurationError} when metrics are on and their packages are not installed
 */
export async function startTenants(options: TenantsHostOptions): Promise<RunningTenantsHost> {
  const { logger, tenantOf, server: address } = options
  const { shutdownDelayMs = 0 } = address
  let isDraining = false
  const stopSurviving = surviveDriverRejections(logger)
  const tenants = createTenants({ ...options, isDraining: () => isDraining })
  const app = createBareApplication({ logger, checks: [tenants.health], isDraining: () => isDraining })
  const fetch = async (request: Request, env: HttpBindings): Promise<Response> => {
    const id = tenantOf(env.incoming)
    if (id === undefined) return app.fetch(request, env)
    try {
      return await tenants.fetch(id, request, env)
    } catch (error) {
      const requestId = requestIdOf(request.headers.get('x-request-id') ?? undefined)
      return bareRefusal(refusalOf(error, { requestId, tenant: id }, logger), requestId)
    }
  }
  let metrics: RunningMetrics | undefined
  let stopObserving = (): void => {}
  const letGo = async (): Promise<void> => {
    stopObserving()
    await metrics?.close()
  }
  try {
    if (options.metrics !== undefined) {
      metrics = await startMetrics(options.metrics)
      logger.info({ address: metrics.url }, 'Serving metrics.')
    }
    stopObserving = observeHealth([tenants.health])
    const server = await onPort('PORT', address, () => listen({ fetch } as typeof app, address, logger))
    passUpgrades(server.server, { tenants, tenantOf, logger })
    const timer = setInterval(() => void tenants.round(), roundMs)
    return {
      url: server.url,
      shutdownDelayMs,
      graceMs: defaultGraceMs,
      get openCount() {
        return tenants.openCount
      },
      async close({ isImmediate = false } = {}) {
        isDraining = true
        if (!isImmediate) await delay(shutdownDelayMs)
        const endMs = performance.now() + defaultGraceMs
        clearInterval(timer)
        await Promise.all([tenants.stop(), server.close(defaultGraceMs)])
        await closeInTime(() => tenants.close().finally(stopSurviving), { endMs, logger })
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    stopSurviving()
    throw error
  }
}

/** Passes upgrades to WebSockets to their tenant. Other upgrades are ignored, which HTTP allows. */
function passUpgrades(server: Server, options: PassUpgrades): void {
  const { tenants, tenantOf, logger } = options
  upgradeOnlyWebSockets(server)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The client can disconnect while the tenant opens.
    socket.on('error', () => {})
    let id: string | undefined
    const pass = async (): Promise<void> => {
      id = tenantOf(request)
      if (id === undefined) throw new CoreError('request.route_not_found')
      await tenants.upgrade(id, request, socket, head)
    }
    pass().catch((error: unknown) => {
      const requestId = upgradeIdOf(request)
      refuseUpgrade(socket, refusalOf(error, { requestId, tenant: id }, logger), requestId)
    })
  })
}

interface PassUpgrades extends Pick<TenantsHostOptions, 'tenantOf' | 'logger'> {
  readonly tenants: Tenants
}

interface RefusedRequest {
  readonly requestId: string
  readonly tenant: string | undefined
}

/** Returns a refusal unchanged, and any other error as `internal`. Logs faults, except outages, which the tenant logs once. */
function refusalOf(error: unknown, request: RefusedRequest, logger: Logger): KitError {
  const refusal = isKitError(error) ? error : new CoreError('internal', { cause: error })
  if (refusal.status < 500) return refusal
  const level = refusal.code === 'service.unavailable' ? 'debug' : 'error'
  logger[level]({ err: refusal, ...request, code: refusal.code }, refusal.code)
  return refusal
}
