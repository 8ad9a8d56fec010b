import { setTimeout as delay } from 'node:timers/promises'
import type { Hono } from 'hono'
import { auditPartitionsWorker } from '../audit/partition-upkeep.ts'
import { connectionFailureText } from '../database/connection-failure.ts'
import type { Tx } from '../database/database.ts'
import { surviveDriverRejections } from '../database/driver-rejections.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { type ApplicationOptions, createApplication } from './application.ts'
import { CannotStartError, onPort } from './cannot-start-error.ts'
import { checkBackgroundModules } from './check-modules.ts'
import { clockWorker } from './clock-health.ts'
import { closeInTime } from './close-in-time.ts'
import { checkMigrations } from './host-migrations.ts'
import type { MetricsConfig } from './metrics-config.ts'
import { type RunningMetrics, startMetrics } from './metrics-server.ts'
import { observeHost } from './observe-host.ts'
import { listen } from './server.ts'
import type { ServerConfig } from './server-config.ts'
import { defaultGraceMs, startWorkers } from './workers.ts'

/** A host that runs the workers of its modules, without routes and sockets. It closes `database` when it ends. */
export interface BackgroundHostOptions
  extends Pick<ApplicationOptions, 'database' | 'health' | 'modules' | 'logger'> {
  /** Serves the metrics of the process for Prometheus at `/metrics` of this address; off when absent. */
  readonly metrics?: MetricsConfig | undefined
  /** Maximum time for requests and workers in progress when the host closes; 4 s by default. */
  readonly graceMs?: number
  /** Runs in one transaction before the host starts, for example to seed roles and users. */
  prepare?(tx: Tx): Promise<void>
}

/** A host with routes, sockets and workers. It closes `database` when it ends. */
export interface HostOptions extends Omit<ApplicationOptions, 'isDraining'>, BackgroundHostOptions {
  readonly server: ServerConfig
  /** Adds the host's own routes, such as a page, before it listens. */
  mount?(app: Hono<KitEnv>): void
}

/** A running host. */
export interface RunningBackgroundHost {
  /** Maximum time that `close` waits for requests and workers in progress. */
  readonly graceMs: number
  /**
   * Stops the workers between transactions, waits for them at most `graceMs`, then closes the database. Soon after `graceMs`,
   * it no longer waits for statements.
   */
  close(): Promise<void>
}

/** A host that serves the API. */
export interface RunningHost extends RunningBackgroundHost {
  readonly url: string
  /** Time during which `close` drains the host. */
  readonly shutdownDelayMs: number
  /**
   * Drains the host, then stops it. While the host drains, `/health/ready` answers 503 and all requests are still served,
   * so that load balancers can stop sending new requests. Draining takes `shutdownDelayMs`; `isImmediate` skips it.
   * Then the host asks sockets to reconnect elsewhere, stops accepting connections, finishes requests in progress, stops
   * workers between transactions, and closes the database. After `graceMs`, it destroys the remaining connections and no
   * longer waits for workers, and soon afterwards no longer for statements.
   */
  close(options?: { readonly isImmediate?: boolean }): Promise<void>
}

/**
 * Starts a host over a migrated database: its application, its sockets and the workers of its modules. The host owns the
 * database: it closes the database when it closes or fails to start. If the database driver leaves a rejection unhandled,
 * the host logs the rejection and the process continues.
 *
 * @throws {TypeError} when the modules do not fit together
 * @throws {MigrationsError} when migrations of `migrationsOf(modules)` are pending, or when the schema belongs to a newer
 *   release that is not compatible
 * @throws {CannotStartError} when the database cannot be reached, when a module must not start with its data, or when a port is
 *   in use
 * @throws {ConfigurationError} when metrics are on and their packages are not installed
 */
export function startHost(options: HostOptions): Promise<RunningHost> {
  const { modules, logger, server: address, graceMs = defaultGraceMs } = options
  const { shutdownDelayMs = 0 } = address
  return owning(options, async () => {
    let isDraining = false
    const app = createApplication({ ...options, isDraining: () => isDraining })
    options.mount?.(app)
    await prepareHost(options)
    const server = await onPort('PORT', address, () => listen(app, address, logger))
    const attached = modules.flatMap((module) => module.attachTo?.(server.server) ?? [])
    const workers = startWorkers(workersOf(options), logger)
    const stopChecking = checkInBackground(options)
    return {
      url: server.url,
      shutdownDelayMs,
      graceMs,
      async close({ isImmediate = false } = {}) {
        isDraining = true
        stopChecking()
        if (!isImmediate) await delay(shutdownDelayMs)
        // Start all three now, in this order: when clients reconnect, this host already refuses connections, so they use
        // another.
        const ended = [...attached.map((part) => part.close()), server.close(graceMs), workers.stop(graceMs)]
        await Promise.all(ended)
      },
    }
  })
}

/**
 * Starts a host for background jobs. It runs the workers of its modules, but no server. Leave out modules that only API
 * hosts run: `outbox.processing` and the realtime module. Audit events and counts need no gatherer here, because the host
 * does not show them.
 *
 * @throws {TypeError | MigrationsError | CannotStartError | ConfigurationError} see {@link startHost}
 */
export function startBackgroundHost(options: BackgroundHostOptions): Promise<RunningBackgroundHost> {
  const { graceMs = defaultGraceMs } = options
  return owning(options, async () => {
    checkBackgroundModules(options.modules)
    await prepareHost(options)
    const workers = startWorkers(workersOf(options), options.logger)
    return { graceMs, close: () => workers.stop(graceMs) }
  })
}

/** The workers of a host: those of its modules, and the clock of its database. */
export const workersOf = ({ database, modules }: Pick<BackgroundHostOptions, 'database' | 'modules'>) => [
  clockWorker(database),
  auditPartitionsWorker(database),
  ...modules.flatMap((module) => module.workers ?? []),
]

/**
 * Checks the migrations, measures the clock of the database, runs the checks of the modules, and then the host's own `prepare`.
 * @throws {CannotStartError} when the database cannot be reached, or a module must not start with its data
 */
export async function prepareHost(
  options: Pick<BackgroundHostOptions, 'database' | 'modules' | 'prepare'>,
): Promise<void> {
  const { database } = options
  await checkMigrations(database, options.modules).catch(explainConnection)
  // From its first request on, the host uses the database's clock.
  await database.clock.measure()
  for (const module of options.modules) {
    if (module.checkStart !== undefined) await database.read(async (db) => module.checkStart?.(db))
  }
  if (options.prepare === undefined) return
  await database.transaction((tx) => options.prepare?.(tx) ?? Promise.resolve())
}

function explainConnection(cause: unknown): never {
  const text = connectionFailureText(cause)
  throw text === undefined ? cause : new CannotStartError(text, { cause })
}

/**
 * Runs the quick checks of the doctor and logs their problems. The host already serves requests: a problem of the store or
 * of the identity provider must not prevent its start. Returns a function that ends the checks.
 */
function checkInBackground({ database, modules, logger }: HostOptions): () => void {
  const stopping = new AbortController()
  // Loaded after the start, so that a start takes no longer.
  import('../doctor/start-checks.ts')
    .then(({ runStartChecks }) => runStartChecks({ database, modules, logger, signal: stopping.signal }))
    .catch((err: unknown) => logger.warn({ err }, 'The checks at the start failed.'))
  return () => stopping.abort()
}

/** Closes the database when the host closes or fails to start, so that the process can end. */
async function owning<Host extends Pick<RunningHost, 'close' | 'graceMs'> & { shutdownDelayMs?: number }>(
  options: BackgroundHostOptions,
  start: () => Promise<Host>,
): Promise<Host> {
  const { database, logger } = options
  const stopSurviving = surviveDriverRejections(logger)
  let metrics: RunningMetrics | undefined
  let stopObserving = (): void => {}
  const letGo = async (endMs: number): Promise<void> => {
    stopObserving()
    await metrics?.close()
    await closeInTime(() => database.close().finally(stopSurviving), { endMs, logger })
  }
  try {
    if (options.metrics !== undefined) {
      metrics = await startMetrics(options.metrics)
      logger.info({ address: metrics.url }, 'Serving metrics.')
    }
    stopObserving = observeHost(options)
    const host = await start()
    return {
      ...host,
      async close(closing) {
        const { graceMs, shutdownDelayMs = 0 } = host
        const drainMs = closing?.isImmediate === true ? 0 : shutdownDelayMs
        const endMs = performance.now() + drainMs + graceMs
        try {
          await host.close(closing)
        } finally {
          await letGo(endMs)
        }
      },
    }
  } catch (error) {
    await letGo(performance.now() + (options.graceMs ?? defaultGraceMs))
    throw error
  }
}
