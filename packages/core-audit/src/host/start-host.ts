import { setTimeout as delay } from 'node:timers/promises'
import type { Hono } from 'hono'
import type { Tx } from '../database/database.ts'
import { surviveDriverRejections } from '../database/driver-rejections.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { type ApplicationOptions, createApplication } from './application.ts'
import { checkBackgroundModules } from './check-modules.ts'
import { checkMigrations } from './host-migrations.ts'
import { listen } from './server.ts'
import type { ServerConfig } from './server-config.ts'
import { startWorkers } from './workers.ts'

export interface BackgroundHostOptions extends Pick<ApplicationOptions, 'database' | 'modules' | 'logger'> {
  /** Runs in one transaction before anything starts: roles and users to begin with, say. */
  prepare?(tx: Tx): Promise<void>
}

export interface HostOptions extends Omit<ApplicationOptions, 'isDraining'>, BackgroundHostOptions {
  readonly server: ServerConfig
  /** Maximum time for requests in progress when the host closes; 4 s by default. */
  readonly graceMs?: number
  /** Adds routes of the host's own, such as a page, before it listens. */
  mount?(app: Hono<KitEnv>): void
}

/** A host at work. */
export interface RunningBackgroundHost {
  /** Stops workers between transactions, then closes the database. */
  close(): Promise<void>
}

/** A host that serves the API. */
export interface RunningHost extends RunningBackgroundHost {
  readonly url: string
  /**
   * Drains, then stops. While it drains, `/health/ready` answers 503 and all requests are still served, so that load
   * balancers can stop sending new ones: for `server.shutdownDelayMs`, or not at all with `isImmediate`. Then it asks sockets
   * to reconnect elsewhere, stops accepting, finishes requests in progress, stops workers between transactions, and closes
   * the database. Connections that remain after `graceMs` are destroyed.
   */
  close(options?: { readonly isImmediate?: boolean }): Promise<void>
}

/** Together with the default shutdown delay, a stop takes less than the 10 s that orchestrators usually wait. */
const defaultGraceMs = 4_000

/**
 * Starts a host over a migrated database: its application, its sockets and the workers of its modules. The database is
 * the host's from here on: closed with it, and when the start fails. A rejection that the database driver leaves
 * unhandled is logged and does not end the process.
 *
 * @throws {TypeError} when the modules do not fit together
 * @throws {Error} before anything runs, naming the migrations, when some of `migrationsOf(modules)` are pending or the
 *   schema is of a newer release that is not compatible; when the database cannot be reached or the port is taken
 */
export function startHost(options: HostOptions): Promise<RunningHost> {
  const { modules, logger, graceMs = defaultGraceMs } = options
  return owning(options, async () => {
    let isDraining = false
    const app = createApplication({ ...options, isDraining: () => isDraining })
    options.mount?.(app)
    await checkMigrations(options.database, modules)
    await prepare(options)
    const server = await listen(app, options.server)
    const attached = modules.flatMap((module) => module.attachTo?.(server.server) ?? [])
    const workers = startWorkers(workersOf(options), logger)
    return {
      url: server.url,
      async close({ isImmediate = false } = {}) {
        isDraining = true
        if (!isImmediate) await delay(options.server.shutdownDelayMs ?? 0)
        // At once, in this order: a client that is asked to reconnect finds this host closed, and goes to another.
        const ended = [...attached.map((part) => part.close()), server.close(graceMs), workers.stop()]
        await Promise.all(ended)
      },
    }
  })
}

/**
 * Starts a host of background jobs: the workers of its modules, and no server. Leave out what only API hosts run:
 * `outbox.processing` and the realtime module. Nothing has to gather audit events and counts here, as nothing shows
 * them.
 *
 * @throws as {@link startHost}
 */
export function startBackgroundHost(options: BackgroundHostOptions): Promise<RunningBackgroundHost> {
  return owning(options, async () => {
    checkBackgroundModules(options.modules)
    await checkMigrations(options.database, options.modules)
    await prepare(options)
    const workers = startWorkers(workersOf(options), options.logger)
    return {
      close: () => workers.stop(),
    }
  })
}

const workersOf = ({ modules }: BackgroundHostOptions) => modules.flatMap((module) => module.workers ?? [])

async function prepare(options: BackgroundHostOptions): Promise<void> {
  if (options.prepare === undefined) return
  await options.database.transaction((tx) => options.prepare?.(tx) ?? Promise.resolve())
}

/** Lets the database go, and the process, when the host closes or does not start. */
async function owning<Host extends Pick<RunningHost, 'close'>>(
  { database, logger }: BackgroundHostOptions,
  start: () => Promise<Host>,
): Promise<Host> {
  const stopSurviving = surviveDriverRejections(logger)
  const letGo = async (): Promise<void> => {
    await database.close()
    stopSurviving()
  }
  try {
    const host = await start()
    return {
      ...host,
      async close(closing) {
        try {
          await host.close(closing)
        } finally {
          await letGo()
        }
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}
